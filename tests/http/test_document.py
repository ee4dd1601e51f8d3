"""The document of the API: names that generators can use, descriptions, examples that hold, and the
codes of problems.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import jsonschema
import pytest

from infra.http.client_code import read_document
from infra.http.openapi import JSON, TEXTS
from infra.http.problem_codes import collect_codes, read_listed
from schemas.ids import ID_PREFIXES

DOCUMENT = read_document()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [operation for methods in DOCUMENT["paths"].values() for operation in methods.values()]
WHERE = f"describe it where its route is, or in {TEXTS.name}"
MADE = {*ID_PREFIXES, "whsec"}  # what ids and secrets begin with
AGAIN = "run `python -m infra.http.client_code` and commit what it writes"


def test_no_two_schemas_have_a_name_that_a_generator_takes_for_one():
    names = Counter(name.replace("_", "").lower() for name in SCHEMAS)
    titles = Counter(schema.get("title", name) for name, schema in SCHEMAS.items())
    assert [name for name in names + titles if (names + titles)[name] > 2] == []
    assert [name for name in names if names[name] > 1] == []
    assert [title for title in titles if titles[title] > 1] == []
    assert [name for name in SCHEMAS if "__" in name] == []


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each["operationId"])
def test_an_operation_is_described_with_examples(operation: dict[str, Any]):
    assert operation["summary"]
    assert operation["description"]
    for each in operation.get("parameters", ()):
        assert each.get("description"), f"{each['name']} of {operation['operationId']}: {WHERE}"
        if each.get("required"):
            assert "example" in each, f"{each['name']} of {operation['operationId']}: {WHERE}"
        if "example" in each:
            check(each["example"], each["schema"])
    content = operation.get("requestBody", {}).get("content", {})
    if JSON in content and not operation["x-signed"]:
        assert "example" in content[JSON], f"the body of {operation['operationId']}: {WHERE}"
        check(content[JSON]["example"], content[JSON]["schema"])


def test_the_codes_of_problems_are_those_of_the_code():
    found = {code: told["statuses"] for code, told in collect_codes().items()}
    assert found == {code: told["statuses"] for code, told in read_listed().items()}, AGAIN
    assert DOCUMENT["x-problem-codes"] == read_listed()
    assert found["unknown_path"] == [404]
    assert found["request_unanswered"] == [503]


def test_an_id_in_a_text_begins_as_ids_of_its_kind_do():
    told = set(
        re.findall(r"\b([a-z]+)_(?:…|[0-9a-f]{16,})", json.dumps(DOCUMENT, ensure_ascii=False))
    )
    assert told <= MADE, told - MADE


def test_the_first_calls_are_the_same_in_the_readme_and_on_the_page():
    folder = TEXTS.parent
    page = (folder / "console" / "templates" / "reference.html").read_text()
    of_page = first_calls(page.partition("<pre>")[2].partition("</pre>")[0])
    assert of_page == first_calls((folder / "README.md").read_text().split("```")[1])
    assert len(of_page) > 5


def first_calls(text: str) -> list[str]:
    """Its lines without comments, from the first call on."""
    lines = [re.sub(r"\s+#\s.*", "", line).rstrip() for line in text.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("curl"))
    return [line for line in lines[start:] if line]


def check(example: Any, schema: dict[str, Any]) -> None:
    whole = schema | {"components": {"schemas": SCHEMAS}}
    jsonschema.Draft202012Validator(json.loads(json.dumps(whole))).validate(example)
