"""Two wholes of one name in one command: the second is no later state of the first."""

import pytest

from connectors.recognise import Root, check_roots
from infra.cli.hints import with_hint
from infra.platform.errors import Conflict


def an_outcome(source: str, root: str, *, complete: bool = True) -> Root:
    return Root(source, root, complete)


def test_two_archives_of_one_name_are_refused_with_the_way_out():
    with pytest.raises(
        Conflict, match=r"a/docs\.zip and b/docs\.zip are both called docs"
    ) as error:
        check_roots([an_outcome("a/docs.zip", "docs")], an_outcome("b/docs.zip", "docs"))
    assert "--as" in with_hint(error.value)


def test_files_of_one_folder_and_wholes_of_several_names_are_not():
    before = [an_outcome("docs/a.md", "docs", complete=False), an_outcome("a.zip", "a")]
    check_roots(before, an_outcome("docs/b.md", "docs", complete=False))
    check_roots(before, an_outcome("b.zip", "b"))
