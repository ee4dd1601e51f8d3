"""A source that is nearly a copy of another is told as such, and keeps all it says."""

from __future__ import annotations

from projections.read.copies import list_near_copies
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import Story
from tests.projections.test_folding import projected

PAGES = [
    f"The {name} of the depot is opened at six in the morning, and the guard notes who came in."
    for name in ("gate", "yard", "hall", "cellar", "ramp", "tower", "fence", "bridge", "dock")
]
GUIDE = "\n\n".join(PAGES)
NEARLY = GUIDE.replace("The ramp of the depot is opened at six", "The ramp of the depot opens at 5")
OTHER = "\n\n".join(page.replace("depot", "harbour").replace("guard", "crew") for page in PAGES)


def copies_of(model: ReadModel, **texts: str) -> dict[str, tuple[str, float]]:
    story = Story()
    story.project()
    paths = {name.replace("_", "/") + ".md": text for name, text in texts.items()}
    story.requested(list(paths))
    for path, text in paths.items():
        story.source(path, text)
    model.fold(projected(story))
    found = list_near_copies(model.connection, PROJECT)
    return {one.path: (one.original_path, one.share) for one in found}


def test_the_same_page_of_two_versions_is_told_with_its_share(model: ReadModel):
    found = copies_of(model, guide=GUIDE, v1_guide=NEARLY, harbour=OTHER)
    ((path, (original, share)),) = found.items()
    assert (path, original) == ("v1/guide.md", "guide.md")
    assert 0.8 < share < 1.0


def test_blanks_and_capitals_do_not_hide_a_copy(model: ReadModel):
    shouted = GUIDE.replace("The gate", "THE GATE").replace(" guard ", "\nguard  ")
    assert copies_of(model, guide=GUIDE, copy_guide=shouted) == {"copy/guide.md": ("guide.md", 1.0)}


def test_pages_that_share_a_paragraph_or_are_short_are_no_copies(model: ReadModel):
    shared = "\n\n".join([OTHER, PAGES[0]])
    short = "The gate is open on Sundays, and nobody notes who came in through it."
    assert copies_of(model, guide=GUIDE, other=shared, a_note=short, b_note=short + " ") == {}
