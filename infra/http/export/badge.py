"""A badge: how a project stands, as a small picture for a README."""

from __future__ import annotations

from markupsafe import escape

from schemas.inflection import count

HEIGHT, PADDING = 20, 6
CHARACTER = 6.2  # pixels, at 11 px; `textLength` makes it true for any font
LABEL = "Cairn"
INK, GOOD, WAIT, PLAIN = "#30343a", "#1d6b35", "#85510a", "#5b5d62"


def draw_badge(statements: int, sources: int, open_contradictions: int, prd_state: str) -> str:
    """SVG. The words tell all that the colour does."""
    told = " · ".join(
        (
            count(statements, "statement"),
            f"{count(sources, 'source')} cited",
            count(open_contradictions, "open contradiction"),
            f"PRD {prd_state.replace('_', ' ')}",
        )
    )
    colour = WAIT if open_contradictions else GOOD if prd_state == "stable" else PLAIN
    left, right = _width(LABEL), _width(told)
    words = _text(LABEL, 0, left) + _text(told, left, right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}"'
        f' role="img" aria-label="{LABEL}: {escape(told)}"><title>{LABEL}: {escape(told)}</title>'
        f'<rect width="{left + right}" height="{HEIGHT}" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{left - 3}v{HEIGHT}h-{left - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z"'
        f' fill="{INK}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif"'
        f' font-size="11">{words}</g></svg>\n'
    )


def _width(text: str) -> int:
    return round(len(text) * CHARACTER) + 2 * PADDING


def _text(text: str, left: int, width: int) -> str:
    inside = width - 2 * PADDING
    return f'<text x="{left + PADDING}" y="14" textLength="{inside}">{escape(text)}</text>'
