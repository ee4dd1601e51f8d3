"""Documents, interviews, mails and code of a folder all become atoms, each with what it is."""

from __future__ import annotations

from pathlib import Path

from infra.measure.whole import fold_outcome, run_stages
from schemas.events.source import SourceRevised

FILES = {
    "docs/decisions.md": "# Decisions\n\nWe decided to sign every seal with two keys.\n",
    "talks/visit.vtt": (
        "WEBVTT\n\n00:01.000 --> 00:05.000\n<v Ada>The depot must keep each seal for ten years.\n"
    ),
    "mails/keys.eml": (
        "From: ada@example.org\nTo: ben@example.org\nSubject: Keys\n"
        "Date: Mon, 2 Nov 2026 09:00:00 +0000\nContent-Type: text/plain\n\n"
        "We decided to change the keys of the gate every month.\n"
    ),
    "src/gate.py": "# TODO: refuse parcels without a seal at the gate\n\ndef close(): ...\n",
}


def test_sources_of_each_type_become_atoms(tmp_path: Path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    driver = run_stages(tmp_path)

    types = {
        record.envelope.event.source.source_id: record.envelope.event.source.source_type
        for record in driver.log.of("source.v1")
        if isinstance(record.envelope.event, SourceRevised)
    }
    outcome = fold_outcome(driver)
    cited = {
        types[row.source_id]: row.snippet
        for atom in outcome.live_atoms
        for row in outcome.evidence[atom.atom_id]
    }
    assert {"interview", "comment", "code"} < cited.keys()
    assert len(cited) == len(FILES)
    assert "ten years" in cited["interview"]
