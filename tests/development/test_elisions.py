"""A comment that stands for code that a model has left out is found in what a diff adds."""

import pytest

from agents.development.checks import find_elisions


def diff(path: str, *lines: str) -> str:
    added = sum(not it.startswith("-") for it in lines)
    removed = sum(not it.startswith("+") for it in lines)
    hunk = f"@@ -1,{removed} +1,{added} @@"
    return "\n".join(
        [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}", hunk, *lines, ""]
    )


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "# ... existing code ..."),
        ("a.py", "    # rest of the function unchanged"),
        ("a.py", "x = 1  # … rest stays the same"),
        ("a.py", "# keep existing imports"),
        ("a.py", "# (remaining methods unchanged)"),
        ("a.py", "... existing code ..."),
        ("a.py", "# Rest unverändert"),
        ("a.ts", "// ... rest of the component"),
        ("a.tsx", "{/* existing props */}"),
        ("a.ts", "  // other handlers omitted for brevity"),
        ("a.go", "\t// ..."),
        ("a.go", "\t// unchanged"),
        ("a.java", " * rest of the class remains unchanged"),
        ("a.rs", "/* same as before */"),
        ("a.rs", "// implementation goes here"),
        ("a.sql", "-- remaining columns unchanged"),
        ("a.html", "<!-- rest of the page unchanged -->"),
        ("a.vue", "<!-- existing template code -->"),
        ("a.rb", "# ... other methods ..."),
        ("Dockerfile", "# … existing lines …"),
        ("a.lua", "-- existing code"),
        ("a.py", "# 其余代码不变"),
    ],
)
def test_an_elision_is_found_with_its_place(path: str, line: str):
    (elision,) = find_elisions(diff(path, " before", f"+{line}", " after"))
    assert (elision.path, elision.line, elision.text) == (path, 2, line.strip())


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "# The rest of the file is read lazily, since it may be long"),
        ("a.py", "# existing rows stay as they are because ids are made of them"),
        ("a.py", "..."),
        ("a.py", "    def read(self) -> str: ..."),
        ("a.py", "first, *rest = unchanged"),
        ("a.py", 'text = "// rest unchanged"'),
        ("a.py", "# remaining is what is left of the budget"),
        ("a.ts", "const all = { ...existing, ...rest };"),
        ("a.ts", "  ...other,"),
        ("a.go", "call(args...)"),
        ("a.go", "// previous value"),
        ("a.md", "# Existing code"),
        ("a.md", "The rest is unchanged."),
        ("a.sql", "SELECT the_rest, unchanged FROM existing"),
        ("a.java", "// the same lock guards both maps"),
    ],
)
def test_a_comment_that_says_something_is_none(path: str, line: str):
    assert find_elisions(diff(path, f"+{line}")) == ()


def test_only_what_is_new_counts():
    old = "# ... existing code ..."
    assert find_elisions(diff("a.py", f" {old}")) == ()
    assert find_elisions(diff("a.py", f"-{old}")) == ()
    assert find_elisions(diff("a.py", f"-{old}", " x", f"+    {old}")) == ()


def test_each_file_of_a_diff_has_its_own_lines():
    whole = diff("a.py", "+x", "+# ...") + diff(
        "b.ts", "++++ b/z.py", " y", "+// ... existing code"
    )
    assert [(it.path, it.line) for it in find_elisions(whole)] == [("a.py", 2), ("b.ts", 3)]


def test_a_diff_without_hunks_is_read_as_well():
    assert [it.line for it in find_elisions("+++ b/a.py\n+# rest unchanged\n")] == [0]
