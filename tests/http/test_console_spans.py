"""The text of a source on a page: what is marked is exact, and what is left out is said."""

from __future__ import annotations

from html import escape

from infra.http.console.spans import LONGEST_PIECE, MOST_BYTES, Line, ShownText, show_text, visible


def said(line: Line) -> str:
    return "".join(piece.text for piece in line.pieces)


def marked(shown: ShownText) -> list[str]:
    return [piece.text for line in shown.lines for piece in line.pieces if piece.marked]


def weigh(shown: ShownText) -> int:
    return sum(len(escape(visible(said(line))).encode()) for line in shown.lines)


def test_a_mark_goes_over_lines_by_code_points_and_none_is_made_where_the_quote_is_not():
    text = "🚚 one\ntwo 🏷\nthree"
    span = (text.index("one"), text.index(" 🏷"))

    assert marked(show_text(text, span, "one\ntwo")) == ["one", "two"]
    other = show_text(text, span, "one two")
    assert (marked(other), other.found) == ([], False)


def test_of_a_long_line_what_stands_around_the_mark_is_shown_and_the_rest_is_counted():
    before, after = "a" * (LONGEST_PIECE + 7), "b" * (LONGEST_PIECE + 9)

    (line,) = show_text(f"{before}quote{after}", (len(before), len(before) + 5)).lines

    assert (line.before, line.after) == (7, 9)
    assert said(line) == before[7:] + "quote" + after[9:]
    (plain,) = show_text(before).lines
    assert (plain.before, said(plain), plain.after) == (0, before[7:], 7)


def test_a_page_holds_the_lines_around_the_mark_as_far_as_it_has_room():
    lines = [f"{number} <&> {'é' * 500}" for number in range(400)]
    text = "\n".join(lines)
    at = text.index("200 <&>")

    shown = show_text(text, (at, at + 3))

    numbers = [line.number for line in shown.lines]
    assert shown.is_cut and numbers == list(range(numbers[0], numbers[-1] + 1))
    assert shown.first_marked == 201 and abs(numbers[0] + numbers[-1] - 2 * 201) <= 1
    assert 0.9 * MOST_BYTES < weigh(shown) <= MOST_BYTES
    assert [line.number for line in show_text(text).lines][:2] == [1, 2]
    end = show_text(text, (len(text) - 3, len(text)))
    assert end.lines[-1].number == 400 and weigh(end) > 0.9 * MOST_BYTES
