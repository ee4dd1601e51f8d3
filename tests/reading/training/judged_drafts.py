"""Drafts that somebody judged, with their features: ``python -m …judged_drafts CLONES FILE``.

The judgements are in ``drafts.tsv`` beside this file: under a line with repository, commit, whose
eye it was and its use, one line a draft with path, the beginning of the SHA-256 of its quote, kind
and verdict. The texts are other people's and stay where they are: CLONES is a folder with a clone
of each repository, named ``owner+name``. FILE gets one line a draft, for
``tests.reading.training.soundness``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.offline.judge.confirmations import find_confirmation
from agents.offline.judge.doubts import doubt_of
from agents.offline.judge.features import draft_features
from agents.offline.judge.soundness import least_of
from agents.offline.reader import propose_drafts
from connectors.git import run_git
from connectors.repositories import open_view
from infra.measure.extract import clean_document
from schemas.ids import sha256_hex

JUDGED = Path(__file__).with_name("drafts.tsv")
HASH_CHARS = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    with given.file.open("w", encoding="utf-8") as out:
        for part in JUDGED.read_text(encoding="utf-8").removeprefix("# ").split("\n# "):
            for row in _rows(given.clones, *part.strip().split("\n")):
                out.write(f"{json.dumps(row)}\n")


def _rows(clones: Path, head: str, *lines: str) -> Iterator[dict[str, Any]]:
    """The drafts of one repository that the reader proposes to this day, in the file's order."""
    repository, commit, eye, use = head.split()
    verdicts: dict[str, dict[tuple[str, str], str]] = {}
    for path, quote, kind, verdict in (line.split("\t") for line in lines):
        verdicts.setdefault(path, {})[kind, quote] = verdict
    for path, left in verdicts.items():
        text = text_at(clones / repository.replace("/", "+"), commit, path)
        for chunk in clean_document(path, text, repository).chunks:
            for draft in propose_drafts(chunk):
                start, end = draft.spans[0]
                quote = sha256_hex(chunk.text_payload[start:end])[:HASH_CHARS]
                if (draft.kind, quote) in left:
                    doubt = doubt_of(draft, chunk)
                    yield {
                        "project": repository,
                        "eye": eye,
                        "use": use,
                        "kind": draft.kind,
                        "confidence": draft.confidence,
                        "least": least_of(draft, chunk, doubt),
                        "confirmed": find_confirmation(draft, chunk, doubt, 1.0),
                        "confirmed_unscored": find_confirmation(draft, chunk, doubt, 0.0),
                        "verdict": left.pop((draft.kind, quote)),
                        "features": sorted(draft_features(draft, chunk)),
                    }


def text_at(clone: Path, commit: str, path: str) -> str:
    """A file of a clone as it was at ``commit``. Raises SourceUnavailable."""
    with open_view(clone) as repository:
        shown = run_git(repository.directory, "show", f"{commit}:{path}")
    return shown.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
