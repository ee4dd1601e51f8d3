"""Whose turn it is to be decided for: projects take turns, and keep their place while they wait."""

from streams.due import DueProjects


def test_projects_take_turns_whatever_comes_meanwhile() -> None:
    due = DueProjects({"b", "a"})
    turns = []
    for _ in range(5):
        project = due.first()
        assert project
        turns.append(project)
        due.had_its_turn(project)
        due.add("a")
        due.add("c")
    assert turns == ["a", "b", "a", "c", "b"], "c came when a was waiting again"


def test_who_has_nothing_to_decide_is_passed_over_until_it_is_added_again() -> None:
    due = DueProjects(["a", "b"])
    due.discard("a")
    due.discard("unknown")
    assert due.first() == "b"
    due.discard("b")
    assert due.first() is None
    due.add("a")
    assert due.first() == "a"
