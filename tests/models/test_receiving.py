"""What is received of an answer: all that takes no guess is accepted, the rest has its class."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.extraction.answer import ANSWER_SCHEMA
from agents.models.receiving import receive
from tests.extraction.asking import an_atom

SAID = "The crane must stop within 4 seconds."
ATOM = an_atom(1, SAID)
GOOD: dict[str, Any] = {
    "chunks": [{"chunk": 1, "atoms": [ATOM, an_atom(2, "The crane lifts 40 tonnes.")], "gaps": []}]
}
TEXT = json.dumps(GOOD)


def changed(**fields: Any) -> str:
    """The good answer with its first atom changed; None takes a field out."""
    atom = {name: value for name, value in (ATOM | fields).items() if value is not ...}
    return json.dumps(
        {"chunks": [{"chunk": 1, "atoms": [atom, GOOD["chunks"][0]["atoms"][1]], "gaps": []}]}
    )


HARMLESS = {
    "fence": f"```json\n{TEXT}\n```",
    "fence without a name": f"```\n{TEXT}\n```",
    "fence that is not closed": f"```json\n{TEXT}",
    "words around it": f"Here is what I found:\n{TEXT}\nLet me know if you need more.",
    "words with braces": f"I list {{kind, title}} of each [chunk]:\n{TEXT}",
    "byte-order mark": f"\ufeff{TEXT}",
    "thought": f"<think>Maybe {{\"chunks\": []}}?</think>\n{TEXT}",
    "thought without a beginning": f"It says 4 seconds.</think>{TEXT}",
    "nested under another name": json.dumps({"result": GOOD}),
    "nested twice": json.dumps({"data": {"answer": GOOD}}),
    "nested under its own name": json.dumps({"chunks": GOOD}),
    "as text within JSON": json.dumps(TEXT),
    "as text under another name": json.dumps({"answer": TEXT}),
    "a bare list": json.dumps(GOOD["chunks"]),
    "a single item for a list": json.dumps({"chunks": GOOD["chunks"][0]}),
    "two objects": f'{{"chunks": []}}\n{TEXT}',
    "the same twice": f"{TEXT}\n{TEXT}",
    "trailing commas": TEXT.replace("}]", "},]").replace("}}", "},}"),
    "comments": TEXT.replace('{"chunks"', '// all chunks\n{ /* one */ "chunks"'),
    "single quotes": str(GOOD),
    "capital words": TEXT.replace("null", "None"),
    "blank lines": f"\n\n{TEXT}" + "\n" * 5_000,
    "closing brackets missing": TEXT.removesuffix("]}"),
    "one key more": changed(source="README.md"),
    "a number as text": changed(confidence="0.8"),
    "a share": changed(confidence="80%"),
    "sentences as text": changed(evidence=[{"sentences": ["1"], "anchor": SAID}]),
    "a sentence without a list": changed(evidence=[{"sentences": 1, "anchor": SAID}]),
    "a fraction of zero": changed(evidence=[{"sentences": [1.0], "anchor": SAID}]),
    "one quote without a list": changed(evidence={"sentences": [1], "anchor": SAID}),
    "no tags": changed(tags=..., entities=..., attributes=...),
    "null for a list": changed(tags=None),
    "no severity": changed(severity=..., impact=...),
    "null as text": changed(severity="null"),
    "a kind in capitals": changed(kind="CLAIM"),
    "an area with a blank": changed(area="Scope"),
    "other names": TEXT.replace('"confidence"', '"Confidence"'),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_format_deviations_of_an_answer_are_accepted(name: str):
    received = receive(HARMLESS[name], ANSWER_SCHEMA)
    assert (received.fault, received.data) == ("", GOOD), received.problems


def test_a_cut_by_the_end_of_blanks_is_none():
    assert receive(TEXT + " " * 900, ANSWER_SCHEMA, finish="length").data == GOOD


def test_lists_in_two_objects_are_one_answer():
    both = [{"chunk": number, "atoms": [ATOM], "gaps": []} for number in (1, 2)]
    text = "\n".join(json.dumps({"chunks": [it]}) for it in both)
    assert receive(text, ANSWER_SCHEMA).data == {"chunks": both}


def test_a_name_that_comes_twice_has_all_that_its_lists_have():
    text = TEXT.removesuffix("}") + f', "chunks": {json.dumps(GOOD["chunks"])}}}'
    assert receive(text, ANSWER_SCHEMA).data == {"chunks": GOOD["chunks"] * 2}


@pytest.mark.parametrize(
    ("text", "finish", "fault"),
    [
        ("", "stop", "empty"),
        (" \n\ufeff", "stop", "empty"),
        ("<think>It is hard.</think>", "stop", "empty"),
        ("", "length", "length"),
        (TEXT[:200], "length", "length"),
        (TEXT[:200], "stop", "length"),
        ("I'm sorry, but I can't help with that.", "stop", "refusal"),
        ("I cannot assist with this request.", "stop", "refusal"),
        ("Sorry, I am not able to answer.", "stop", "refusal"),
        ("Nothing of importance.", "stop", "malformed"),
        ('{"chunks', "stop", "length"),
        ("<html><body>{ error: 502 }</body></html>", "stop", "malformed"),
        ('data: {"choices": []}\n\ndata: [DONE]', "stop", "malformed"),
        ('{"error": {"message": "overloaded"}}', "stop", "malformed"),
        ("{}", "stop", "malformed"),
        ("[]", "stop", ""),
        ("null", "stop", "malformed"),
        ("[" * 9_000, "stop", "malformed"),
        (changed(confidence="high"), "stop", "malformed"),
        (changed(kind="constraint"), "stop", "malformed"),
        (changed(title=...), "stop", "malformed"),
        (TEXT.replace("0.8", "NaN"), "stop", "malformed"),
    ],
)
def test_what_cannot_be_used_has_its_class(text: str, finish: str, fault: str):
    received = receive(text, ANSWER_SCHEMA, finish)
    assert received.fault == fault
    assert bool(received.problems) == bool(fault)


def test_a_refusal_is_one_whatever_else_is_said():
    assert receive(TEXT, ANSWER_SCHEMA, refusal="I must not.").fault == "refusal"


@pytest.mark.parametrize("fields", [{"kind": "constraint"}, {"confidence": 7}, {"body": ...}])
def test_one_bad_atom_does_not_take_the_others(fields: dict[str, Any]):
    received = receive(changed(**fields), ANSWER_SCHEMA)
    assert received.kept.data == {
        "chunks": [GOOD["chunks"][0] | {"atoms": GOOD["chunks"][0]["atoms"][1:]}]
    }
    assert (received.kept.left_out, received.kept.lossy) == (1, frozenset({0}))


@pytest.mark.parametrize("end", range(TEXT.index("40 tonnes"), len(TEXT) - 4, 7))
def test_of_a_cut_answer_the_complete_atoms_are_kept_and_no_half_one(end: int):
    received = receive(TEXT[:end], ANSWER_SCHEMA, "length")
    atoms = received.kept.data["chunks"][0]["atoms"]
    assert received.fault == "length"
    assert atoms[0] == ATOM
    assert atoms[1:] in ([], GOOD["chunks"][0]["atoms"][1:])


def test_half_a_number_is_none():
    schema = {"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": "integer"}}}
    assert receive('{"a": [1], "b": 35', schema).kept.data == {"a": [1]}


PIECES = ["{", "}", "[", "]", '"', "'", ",", ":", "//", "/*", "*/", "\\", "\\u12", "```", "<think>"]
PIECES += ["</think>", '"chunks"', '"atoms"', "1", "0.", "null", "NaN", "\n", " ", "\ud800"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=200))
def test_any_text_is_received(text: str):
    receive(text, ANSWER_SCHEMA)


@pytest.mark.parametrize("piece", [*PIECES, '{"a":', "[[", '{"chunks": [{"chunk": 1, '])
def test_a_long_text_takes_no_long_time(piece: str):
    text = piece * (60_000 // len(piece))
    began_s = time.process_time()
    receive(text, ANSWER_SCHEMA)
    assert time.process_time() - began_s < 0.5
