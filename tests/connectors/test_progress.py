"""The board that shows how far a command is."""

from __future__ import annotations

import io

from rich.console import Console

from infra.cli.progress import LINE_EVERY_S, Board, Stage


def lines_of(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_file_gets_a_line_now_and_then_and_the_last_state() -> None:
    now_s = [0.0]
    console = Console(file=io.StringIO(), force_terminal=False, width=40)
    with Board(console, lambda: now_s[0]) as board:
        for done in range(0, 100, 10):
            board.update([Stage("fed", done, 90, "some words that are long enough to wrap")])
            now_s[0] += LINE_EVERY_S / 2
    assert [line.split()[1] for line in lines_of(console)] == [
        "0/90", "20/90", "40/90", "60/90", "80/90", "90/90",
    ]  # fmt: skip


def test_nothing_new_is_no_line() -> None:
    now_s = [0.0]
    console = Console(file=io.StringIO(), force_terminal=False)
    with Board(console, lambda: now_s[0]) as board:
        for _ in range(5):
            board.update([Stage("fed", 7)])
            now_s[0] += LINE_EVERY_S
    assert lines_of(console) == ["fed 7"]


def test_a_terminal_gets_a_table_that_is_gone_at_the_end() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with Board(console) as board:
        board.update([Stage("fed", 7, 9), Stage("atoms", 3)])
    assert "per second" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_rate_is_of_the_time_in_which_something_moved() -> None:
    now_s = [100.0]
    console = Console(file=io.StringIO(), force_terminal=False)
    with Board(console, lambda: now_s[0]) as board:
        for done in (0, 50, 100, 100, 100):
            board.update([Stage("fed", done, 100)])
            now_s[0] += 2.0
        assert board.rate("fed") == 25.0
