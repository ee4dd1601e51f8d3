"""A scoped table shows one project's rows under keys of their own, and nobody else's."""

from streams.scoped_table import ScopedTable
from streams.tables import MemoryTables


def two_projects() -> tuple[ScopedTable[str], ScopedTable[str]]:
    table = MemoryTables().table("rows", str)
    return ScopedTable(table, "prj_1"), ScopedTable(table, "prj_10")


def test_a_project_sees_only_its_own_rows_in_key_order():
    one, other = two_projects()
    one["b"], one["a"], other["c"] = "2", "1", "3"
    assert list(one.items()) == [("a", "1"), ("b", "2")]
    assert list(other.values()) == ["3"]
    assert "c" not in one
    assert one.get("c") is None
    assert one.get("c", "none") == "none"


def test_a_narrower_scope_is_a_part_of_the_same_rows():
    one, _ = two_projects()
    one.under("run", "batch")["0"] = "first"
    assert one["run|batch|0"] == "first"
    assert one.under("run").setdefault("batch|0", "second") == "first"
    assert list(one.under("run").items()) == [("batch|0", "first")]
    del one.under("run")["batch|0"]
    assert list(one.values()) == []
