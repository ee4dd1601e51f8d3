"""Marks what introduces a feature: the page, the card, the item of a list, with the feature's name.

Only places where a product names what it can do are read a second time; where such a place gave no
draft, it gives a claim, since that the product has this is what it says. Decided against: naming
features by what their statements have in common, which gave no name that anybody knew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.offline.judge.capability_names import Named, capability_name, named_item
from agents.offline.judge.capability_pages import (
    Page,
    group_name,
    is_introduction,
    is_plan,
    page_of,
    read_front_matter,
)
from agents.offline.judge.introductions import Introduction, draft_of, trim, widen
from agents.offline.lexicons import Wording
from agents.offline.recognise.taken_back import find_asserted
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.masks import mask
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Span
from agents.offline.segment.placeholders import hide_placeholders
from agents.offline.segment.prose import dialect_of, passages
from agents.offline.segment.sections import show_heading, simplify
from agents.offline.segment.wording import split_sentences, strip_markup
from schemas.events.hygiene import ChunkCreated
from schemas.features import (
    CARD,
    DONE,
    FEATURE,
    LISTED,
    PLAN,
    PLANNED,
)

_FEATURES = Wording("capabilities", "feature_headings")
_PERIODS = Wording("capabilities", "periods")
_PLANS = Wording("capabilities", "plan_headings")
_DONE = Wording("capabilities", "done_headings")
_TICK = Wording("capabilities", "ticks")
_DONE_CELL = Wording("capabilities", "done_cells")
_OTHER = Wording("capabilities", "other_headings")
_GONE = Wording("capabilities", "gone_pages")
_ABOUT_THE_PAGE = Wording("capabilities", "about_the_page")
_HEADINGS = re.compile(r"^(?:#{1,6}|={2,6}) ++(.+?)[ #=]*$", re.MULTILINE)
_CARD = re.compile(
    r"<(?P<tag>(?:Link|Feature)?Card|Feature|GridItem)\b(?P<given>(?:[^<>\"'{}]|\"[^\"]*\"|'[^']*'|\{[^{}]*\})*?)(?:/>|>(?P<told>.*?)</(?P=tag)>)",
    re.DOTALL,
)
_GIVEN = re.compile(
    r"\b(?P<key>title|name|description|desc)=\{?(?P<mark>[\"'`])(?P<value>.*?)(?P=mark)", re.DOTALL
)
_HOME = re.compile(
    r"^ *+-? *+(?:title|name): *+[\"']?(?P<name>[^\n\"']++)[\"']? *+\n(?:(?!^ *- ).*\n)*?"
    r"^ *+(?:details|description): *+[\"']?(?P<told>[^\n]+?)(?<! )[\"']? *+$",
    re.MULTILINE,
)
_INDENTED = re.compile(r"\n[ \t]{2,}(?P<told>[^\W_].*(?:\n[ \t]{2,}\S.*)*)")
_TOLD_BY = frozenset({"claim", "requirement", "decision", "domain_signal", "action_item"})
MAX_OF_CHUNK = 40
LONGEST_PATH = 4
MAX_LEADS = 3
MIN_TELLING = 6  # words of a sentence that tells what a heading names


def mark_features(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts``, of which those that introduce a feature name it, and what was missing."""
    marked = list(drafts)
    for introduction in _each_once(_introductions(chunk)):
        at = _find_told(marked, introduction)
        if at is None:
            marked.append(draft_of(introduction, chunk))
        else:
            marked[at] = replace(marked[at], attributes=marked[at].attributes | introduction.marks)
    return sorted(marked, key=lambda draft: draft.spans[0]) if len(marked) > len(drafts) else marked


def _find_told(drafts: Sequence[Draft], introduction: Introduction) -> int | None:
    """Which of ``drafts`` says what the introduction says; one feature a draft."""
    start, end = introduction.span
    for at, draft in enumerate(drafts):
        a, b = draft.spans[0]
        shared = min(b, end) - max(a, start)
        fits = draft.kind in _TOLD_BY and FEATURE not in draft.attributes
        if fits and shared > 0.5 * min(b - a, end - start):
            return at
    return None


def _each_once(introductions: Iterator[Introduction]) -> list[Introduction]:
    first: dict[str, Introduction] = {}
    for introduction in introductions:
        first.setdefault(introduction.name.lower(), introduction)
    return list(first.values())[:MAX_OF_CHUNK]


def _introductions(chunk: ChunkCreated) -> Iterator[Introduction]:
    if (page := page_of(chunk)) and (introduction := _introduce_page(page, chunk)):
        yield introduction
    named = [*chunk.structure_path, *_HEADINGS.findall(chunk.text_payload)]
    introduces, plans = is_introduction(chunk), is_plan(chunk.path)
    if introduces and not chunk.anchor_start:
        yield from _home_features(chunk.text_payload)
    if introduces and "<" in chunk.text_payload and not _leads_away(named[:LONGEST_PATH]):
        cards = list(_cards(chunk))
        yield from cards
        if cards:
            return
    if plans or (introduces and any(map(_is_telling, named))):
        yield from _listed(chunk, planned=plans)


def _is_telling(heading: str) -> bool:
    text = simplify(heading)
    return bool(_FEATURES.match(text) or _PLANS.match(text))


def _leads_away(headings: Sequence[str]) -> bool:
    return any(_OTHER.says(simplify(it)) for it in headings)


def _introduce_page(page: Page, chunk: ChunkCreated) -> Introduction | None:
    """The page with what its front matter or first sentence says of it; None where it is gone."""
    text, dialect = chunk.text_payload, dialect_of(chunk.path)
    masked = hide_placeholders(mask(text, dialect), dialect)
    for span in filter(None, (page.told, *_leads_of(chunk, page.starts))):
        sentence = masked.restore(strip_markup(masked.text[slice(*span)]))
        if _GONE.says(sentence):
            return None
        tells = span == page.told or not _ABOUT_THE_PAGE.match(sentence)
        if tells and span[1] - span[0] >= MIN_EVIDENCE_CHARS:
            return Introduction(page.name, sentence, span, page.place, page.state, page.group)
    span = widen(text, page.titled)
    return Introduction(page.name, "", span, page.place, page.state, page.group)


def _leads_of(chunk: ChunkCreated, starts: int) -> Iterator[Span]:
    """The first sentences of the first paragraphs after the title."""
    dialect, left = dialect_of(chunk.path), MAX_LEADS
    text = mask(chunk.text_payload, dialect)
    parts = passages(text, chunk.structure_path, chunk.path, whole=not chunk.anchor_start)
    for passage in find_asserted(text, parts):
        if passage.form != "paragraph" or passage.start < starts or not left:
            continue
        if dialect == "rst" and text[: passage.start].endswith((" ", "\t")):  # a note
            continue
        left -= 1
        span = split_sentences(text, passage.start, passage.end)[0]
        words = strip_markup(text[slice(*span)], rst=dialect == "rst")
        if len(words.split()) >= 4 and not words.endswith(":"):
            yield span


def _home_features(text: str) -> Iterator[Introduction]:
    """What the front matter of a start page lists as features."""
    front, _ = read_front_matter(text)
    at = text.find("\nfeatures:", 0, front)
    if at < 0:
        return
    for item in _HOME.finditer(text, at, front):
        if name := capability_name(item["name"]):
            span = widen(text, item.span("told"))
            yield Introduction(name, strip_markup(item["told"]), span, CARD)


def _cards(chunk: ChunkCreated) -> Iterator[Introduction]:
    text = chunk.text_payload
    for card in _CARD.finditer(text):
        given = {it["key"]: it for it in _GIVEN.finditer(text, *card.span("given"))}
        title, description = (
            given.get("title") or given.get("name"),
            given.get("description") or given.get("desc"),
        )
        name = capability_name(title["value"]) if title else ""
        if not name:
            continue
        span = description.span("value") if description else trim(text, card.span("told"))
        sentence = (
            strip_markup(text[slice(*span)]) if span[1] - span[0] >= MIN_EVIDENCE_CHARS else ""
        )
        span = span if sentence else widen(text, card.span("given"))
        yield Introduction(name, sentence, span, CARD, group=_group_under(chunk.structure_path[1:]))


def _group_under(headings: Sequence[str]) -> str:
    """The innermost heading that names a group rather than saying that features follow."""
    return next((name for it in reversed(headings) if (name := group_name(show_heading(it)))), "")


def _listed(chunk: ChunkCreated, *, planned: bool) -> Iterator[Introduction]:
    """What the items, rows and headings of lists of features and of roadmaps name."""
    dialect = dialect_of(chunk.path)
    text = mask(chunk.text_payload, dialect)
    read = passages(text, chunk.structure_path, chunk.path, whole=not chunk.anchor_start)
    parts = find_asserted(text, read)
    introduced: set[tuple[str, ...]] = set()
    least, opened = _least_indents(parts), _told_first(parts, text)
    for passage in parts:
        if passage.form not in ("item", "task", "row") or passage.indent > least[passage.headings]:
            continue
        if not (state := _state_under(passage.headings, planned)):
            continue
        if passage.form == "row" and not _is_first_cell(passage, parts):
            continue
        raw = text[passage.start : passage.end]
        item = named_item(raw, planned=state == PLANNED)
        if item and not item.labelled and passage.headings in opened:
            continue
        if item:
            introduced.add(passage.headings)
            yield _introduce_item(text, passage, item, state, planned)
    yield from _headed(text, parts, introduced, planned)


def _least_indents(parts: Sequence[Passage]) -> dict[tuple[str, ...], int]:
    least: dict[tuple[str, ...], int] = {}
    for it in parts:
        if it.form in ("item", "task", "row"):
            least[it.headings] = min(least.get(it.headings, it.indent), it.indent)
    return least


def _told_first(parts: Sequence[Passage], text: str) -> set[tuple[str, ...]]:
    """The headings below which a sentence stands first: they are what is told of, and the items
    after it tell more.
    """
    first: dict[tuple[str, ...], Passage] = {}
    for it in parts:
        if it.form != "heading":
            first.setdefault(it.headings, it)
    return {
        headings
        for headings, it in first.items()
        if it.form == "paragraph"
        and len((lead := text[it.start : it.end].rstrip()).split()) >= MIN_TELLING
        and not lead.endswith(":")
        and not _is_telling(headings[-1] if headings else "")
        and not _PERIODS.match(simplify(headings[-1] if headings else ""))
    }


def _is_first_cell(passage: Passage, parts: Sequence[Passage]) -> bool:
    before = [it for it in parts if it.form == "row" and it.cells == passage.cells]
    return not before or before[0] is passage


def _introduce_item(
    text: str, passage: Passage, item: Named, state: str, planned: bool
) -> Introduction:
    done = passage.done if passage.form == "task" else _is_ticked(text, passage)
    below = _below(passage.headings, planned)
    return Introduction(
        item.name,
        item.said,
        widen(text, (passage.start, passage.end)),
        PLAN if state == PLANNED else LISTED,
        DONE if done else state,
        _group_under(below),
    )


def _is_ticked(text: str, passage: Passage) -> bool:
    """Whether a mark says that it is there: in front of an item, or as a cell of its row."""
    line = text[text.rfind("\n", 0, passage.start) + 1 :].split("\n", 1)[0]
    if passage.form != "row":
        return _TICK.match(line) is not None
    return any(_DONE_CELL.fullmatch(cell.strip()) for cell in line.split("|"))


def _headed(
    text: str, parts: Sequence[Passage], introduced: set[tuple[str, ...]], planned: bool
) -> Iterator[Introduction]:
    """Headings right below that of a list of features, each with its first sentence; a term whose
    meaning is indented is such a heading.
    """
    named = {it.headings for it in parts}
    for passage in parts:
        is_term = passage.form == "heading" and not _below(passage.headings, planned)
        chain = (*passage.headings, text[passage.start : passage.end].strip("* "))
        if passage.form == "paragraph":
            named.add(chain := passage.headings)
        elif not is_term or chain in named:
            continue
        below, state = _below(chain, planned), _state_under(chain, planned)
        if len(below) != 1 or not state or chain in introduced:
            continue
        name = capability_name(below[0], planned=state == PLANNED)
        is_name = name and not _PERIODS.match(simplify(below[0]))
        if is_name and not _DONE.match(simplify(below[0])):
            introduced.add(chain)
            span = _meaning_of(text, passage)
            if span[0] < span[1]:
                sentence = strip_markup(text[slice(*span)])
                span = span if span[1] - span[0] >= MIN_EVIDENCE_CHARS else widen(text, span)
                place = PLAN if state == PLANNED else LISTED
                yield Introduction(name, sentence, span, place, state)


def _meaning_of(text: str, passage: Passage) -> Span:
    """The first sentence of a paragraph, or of what stands indented under a term."""
    start, end = passage.start, passage.end
    if passage.form == "heading":
        meaning = _INDENTED.match(text, text.find("\n", end))
        start, end = meaning.span("told") if meaning else (end, end)
    return split_sentences(text, start, end)[0] if start < end else (start, end)


def _below(headings: Sequence[str], planned: bool) -> Sequence[str]:
    """The headings below the one that says what follows are features or plans."""
    telling = [at for at, it in enumerate(headings) if _is_telling(it)]
    if telling:
        return headings[telling[-1] + 1 :]
    return headings[1:] if planned else headings


def _state_under(headings: Sequence[str], planned: bool) -> str:
    """What is true of the items under these headings: done, planned, or no features at all."""
    spoken = [simplify(it) for it in headings]
    telling = [at for at, it in enumerate(spoken) if _FEATURES.match(it) or _PLANS.match(it)]
    if not telling and not planned:
        return ""
    inner = spoken[telling[-1] :] if telling else spoken[1:]
    if any(_OTHER.says(it) for it in inner if not _PLANS.match(it) and not _FEATURES.match(it)):
        return ""
    if any(_DONE.match(it) for it in inner):
        return DONE
    plans = planned or any(_PLANS.match(it) for it in spoken)
    return PLANNED if plans else DONE
