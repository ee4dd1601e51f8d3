"""Trains ``streams/reduce/prd/use_weights.json.gz``.

``python -m tests.reduce.training.use CLONES``

CLONES has a folder a project of ``statements.tsv``, with its documents as at the commit named there
(``-``: as in the evaluation data). Each is read by the stages of the service, only the documents of
which statements were judged: in which section of a PRD each statement belongs, or in none, a second
section that would be as right, and whether a reader would print it (2), keep it one click away (1)
or leave it out (0). Only the last is learnt. No text of the documents is kept: a row is the path, a
hash of the statement, and the judgement.

Logistic regression over the signs of an atom, rounded to whole numbers; scikit-learn 1.9.1, and
nothing is drawn. ``--figures`` prints instead how well each project is judged by weights that have
not seen it.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from infra.measure.whole import ingest
from schemas.linear import read_odds
from streams.reduce.prd import use
from streams.reduce.prd.placement import places
from streams.reduce.prd.signs import signs_of
from tests.reading.training.data import write_weights
from tests.reading.training.statements import SCALE, matrix_of

JUDGED = Path(__file__).with_name("statements.tsv")
OUT = Path(use.__file__).with_name("use_weights.json.gz")
AT_LEAST = 6  # statements that show a sign
OF_PROJECTS = 2
OF_AN_ORIGIN = 25  # judged statements, so that weights and not rules place others of it
SMOOTHING = 0.06  # the inverse strength of the L2 penalty
PRINTED = 2
STEPS = (100, 200, 400, 600, 1_000)


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with its signs, and its use from 0 to 2."""

    project: str
    signs: frozenset[str]
    kept: int


def read_judged() -> dict[str, dict[tuple[str, str], list[str]]]:
    """Section, second section and use of each statement, by project, then by path and hash."""
    found: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(dict)
    for line in JUDGED.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            project = line.split()[1]
        else:
            path, digest, *said = line.split("\t")
            found[project][path, digest] = said
    return found


def read_project(folder: Path, judged: dict[tuple[str, str], list[str]]) -> Iterator[Judged]:
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / folder.name
        for path in sorted({path for path, _ in judged}):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / path, copy / path)
        outcome = ingest(copy)
    evidence = outcome.evidence
    for atom in sorted(outcome.live_atoms, key=lambda it: it.atom_id):
        rows = evidence.get(atom.atom_id, [])
        digest = hashlib.sha256(atom.statement.encode()).hexdigest()[:16]
        for path in sorted({outcome.paths[row.source_id] for row in rows}):
            if said := judged.get((path, digest)):
                signs = frozenset(signs_of(atom, rows, places(atom, rows)))
                yield Judged(folder.name, signs, int(said[2]))
                break


def learn(judged: Sequence[Judged]) -> dict[str, Any]:
    """The file's content but for its ``about``."""
    counts = Counter(sign for one in judged for sign in one.signs)
    of_projects = Counter(
        sign for _, sign in {(one.project, sign) for one in judged for sign in one.signs}
    )
    known = sorted(
        sign for sign in counts if counts[sign] >= AT_LEAST and of_projects[sign] >= OF_PROJECTS
    )
    columns = {sign: at for at, sign in enumerate(known)}
    matrix = matrix_of([one.signs for one in judged], columns)
    kept = LogisticRegression(C=SMOOTHING, max_iter=3_000)
    kept.fit(matrix, [one.kept == PRINTED for one in judged])
    by_use = np.rint(kept.coef_[0] * SCALE).astype(int)
    origins = Counter(
        sign.removeprefix("origin=")
        for one in judged
        for sign in one.signs
        if sign.startswith("origin=") and " " not in sign
    )
    return {
        "scale": SCALE,
        "bias": int(np.rint(kept.intercept_[0] * SCALE)),
        "features": {sign: int(by_use[at]) for sign, at in columns.items() if by_use[at]},
        "origins": sorted(origin for origin, seen in origins.items() if seen >= OF_AN_ORIGIN),
    }


def tell(judged: Sequence[Judged]) -> Iterator[str]:
    """How many of the likeliest are to be printed, each project judged by weights of all others."""
    found: list[tuple[float, int]] = []
    for project in sorted({one.project for one in judged}):
        odds = read_odds(learn([one for one in judged if one.project != project]))
        own = [one for one in judged if one.project == project]
        found += [(odds.probability(one.signs), one.kept) for one in own]
    ranked = sorted(found, key=lambda it: -it[0])
    for step in (*STEPS, len(ranked)):
        first = [kept for _, kept in ranked[:step]]
        printed = sum(kept == PRINTED for kept in first) / step
        about = sum(kept > 0 for kept in first) / step
        yield f"first {step} of {len(ranked)}: to be printed {printed:.2f}, of use {about:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--figures", action="store_true")
    asked = parser.parse_args()
    by_project = read_judged()
    judged = [
        one
        for project in sorted(by_project)
        for one in read_project(asked.clones / project, by_project[project])
    ]
    if asked.figures:
        print(*tell(judged), sep="\n")
        return
    digest = hashlib.sha256(JUDGED.read_bytes()).hexdigest()
    about = {"made_by": "tests/reduce/training/use.py", "statements_sha256": digest}
    write_weights(OUT, learn(judged), about)
    print(f"{len(judged)} statements of {len(by_project)} projects")


if __name__ == "__main__":
    main()
