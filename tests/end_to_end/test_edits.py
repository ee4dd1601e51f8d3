"""A person edits the PRD, sees what is not supported, and meets another who was faster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.broker
OWN = "Depots of the harbour are painted blue."


def prd_of(backbone: Any) -> dict[str, Any]:
    (prd,) = backbone.cairn.json("show", "prd", "--project", backbone.project, "--format", "json")
    return dict(prd)


def section_of(prd: dict[str, Any], section_id: str) -> dict[str, Any]:
    (found,) = [one for one in prd["sections"] if one["section_id"] == section_id]
    return dict(found)


def test_an_edit_keeps_citations_marks_what_is_uncited_and_names_its_author(
    backbone, tmp_path: Path
):
    before = prd_of(backbone)
    risks = section_of(before, "risks")
    kept = risks["statements"][0]
    page = tmp_path / "risks.md"
    page.write_text(f"# Risks\n\n- {kept['text']}\n- {OWN}\n")
    ask = ("edit", "prd", "--project", backbone.project, "--section", "risks", "--as", "ana")
    version = ("--expected-version", str(before["version"]))

    (edit,) = backbone.cairn.json(*ask, "--file", str(page), *version)

    after = prd_of(backbone)
    assert (edit["refusal"], edit["version"]) == (None, after["version"])
    assert after["version"] == before["version"] + 1
    section = section_of(after, "risks")
    assert (section["state"], section["edited_by"]) == ("edited", "ana")
    assert section["statements"][0]["citations"] == kept["citations"]
    assert section["statements"][1]["citations"] == []
    assert [one for one in after["sections"] if one["section_id"] != "risks"] == [
        one for one in before["sections"] if one["section_id"] != "risks"
    ]
    shown = backbone.cairn.run("show", "prd", "--project", backbone.project, "--section", "risks")
    assert f"{OWN} (uncited)" in shown and "edited by ana" in shown
    backbone.cairn.run(*ask, "--file", str(page), *version, exit_code=1)
    backbone.cairn.run(*ask, "--decline-suggestion", exit_code=1)
    backbone.cairn.run(*ask, exit_code=2)
    assert prd_of(backbone)["version"] == after["version"]
