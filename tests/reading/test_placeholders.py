"""Placeholders, intervals, powers and comparisons belong to the sentence that they stand in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.reader import extract
from agents.offline.segment.masks import mask
from agents.offline.segment.placeholders import hide_placeholders
from tests.reading.documents import a_chunk, read


def told(text: str, path: str = "docs/kiln.md") -> list[str]:
    made = extract(a_chunk(text, path, start=0, line=1))
    return [it.title for it in made if it.kind in ("requirement", "decision")]


@pytest.mark.parametrize(
    "said",
    [
        "The {kiln} must cool down within {hours} hours",
        "The {{ kiln }} must cool down within 6 hours",
        "The {{site.kiln}} must report every {interval}ms",
        "The ${KILN_NAME} must never exceed 1200 degrees",
        "The %KILN% must keep its log for 90 days",
        "The <kiln-name> must be unique in its hall",
        "<tenant> must approve each firing",
        "The flow must stay below 5 m^3/h at all times",
        "The counter must show 10^6 firings",
        "The {{ .Values.kiln }} must keep its log for 90 days",
        "The log must be kept for #{days} days",
        "The kiln must ring when x >= y or z < 3",
        "The shelf must be < 40 m² and rated ~2.1",
        "The fan must run while $v > 3$ m/s",
        "The kiln must work in [-40, 85] degrees",
        "The damper must move within [0, 1) of its path",
        "The value w[2] must hold the weight of the shelf",
        "The lamp must be on while hot == true && door != open",
    ],
)
def test_what_looks_like_code_in_a_sentence_is_read_as_it_stands(said):
    found = told(f"# Hall\n\n{said}.\n")
    assert any(said[4:] in it for it in found), found


@pytest.mark.parametrize(
    ("head", "path"),
    [
        (":kiln: Tunnel oven\n:most: 1200\n", "docs/kiln.adoc"),
        (".. |kiln| replace:: Tunnel oven\n.. |most| replace:: 1200\n", "docs/kiln.rst"),
        ("---\nkiln: Tunnel oven\nmost: 1200\n---\n", "docs/kiln.md"),
        ('{% set kiln = "Tunnel oven" %}\n{% set most = 1200 %}\n', "docs/kiln.md"),
        ("| Name | Value |\n|--|--|\n| `kiln` | Tunnel oven |\n| `most` | 1200 |\n", "docs/a.md"),
        ("```sh\nkiln='Tunnel oven'\nexport most=1200\n```\n", "docs/kiln.md"),
    ],
)
def test_a_name_that_the_document_defines_is_filled_in(head, path):
    one, two = ("|kiln|", "|most|") if path.endswith("rst") else ("{kiln}", "{most}")
    text = f"{head}\nThe {one} must stay below {two} degrees.\n"
    made = [it for it in extract(a_chunk(text, path, start=0)) if it.kind == "requirement"]
    assert len(made) == 1
    assert made[0].title.lower().endswith("the tunnel oven must stay below 1200 degrees")
    assert f"The {one} must stay below {two} degrees." in {it.snippet for it in made[0].evidence}
    assert all(text[it.char_start : it.char_end] == it.snippet for it in made[0].evidence)


def test_a_name_with_two_values_stays_as_written():
    text = ":kiln: Oven\n:kiln: Dryer\n\nThe {kiln} must cool down for 6 hours.\n"
    assert [it[-37:] for it in told(text, "docs/kiln.adoc")] == [
        "the {kiln} must cool down for 6 hours"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{% if must %}\n\n{{ kiln_must | join(', ') }}\n\n{% endif %}",
        "if (hot == true && must) {\n  cool(kiln);\n}",
        '{"rule": "The {kiln} must cool"}',
        "```\nThe {kiln} must cool down for 6 hours.\n```",
        "As a [role], I want [feature] so that [benefit].",
        "As a <type of user>, I want <some goal>.",
        "- {{ item }}\n- ${must}",
    ],
)
def test_templates_and_code_stay_unread(text):
    assert not read(f"# Hall\n\n{text}\n")


def test_tags_stay_tags():
    found = told("# Hall\n\nThe <b>kiln</b> must <em>cool</em> for 6 hours.<br>\n")
    assert any("kiln must cool for 6 hours" in it for it in found)


@pytest.mark.parametrize(
    "text", ["`{kiln}` must cool", "<b>", "[a](b)", "see {ref}`x` for more of it"]
)
def test_what_is_marked_up_stays(text):
    assert hide_placeholders(text, "md").text == text


SIGNS = st.text(st.sampled_from("{}[]()<>|%$^=!&,.-:_ \n`ab1—As a I want"), max_size=400)


@given(SIGNS, st.sampled_from(["md", "txt", "rst", "adoc", "org"]))
def test_every_text_keeps_its_length_and_comes_back(text, dialect):
    masked = hide_placeholders(text, dialect)
    assert len(masked.text) == len(text)
    assert masked.text.count("\n") == text.count("\n")
    assert len(mask(text, dialect)) == len(text)
    masked.restore(masked.text)
