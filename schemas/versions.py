"""The versions of the rules, raised whenever the same input gives other results.

Every result names the version it was made under, and a run names all of them. Raise a version in
the commit that changes its results: ``tests/golden`` fails otherwise and says which one.

What follows from a raised version:

- hygiene, redactor, annotator: the next ingest sends every source again and cleans it anew.
- chunk: the same, and since ids of chunks contain it, every chunk is read anew.
- extractor: chunks of a changed source are read anew even where their words are the same. Chunks of
  unchanged sources keep their old readings.
- reflection, duplicates, contradictions, ledger: new readings are judged by the new rules; what the
  ledger holds stays as it was decided.

There is no command yet that reprocesses a whole project under new versions.
"""

from __future__ import annotations

HYGIENE_VERSION = "h5"  # decoding, line ends, which sources are skipped, what a document is
REDACTOR_VERSION = "r9"
ANNOTATOR_VERSION = "a5"
CHUNK_VERSION = "c9"
EXTRACTOR_VERSION = "h15"  # of the reader that needs no model
MODEL_EXTRACTOR_VERSION = "m3"  # what becomes of a model's answer; its prompt has a version, too
REFLECTION_VERSION = "f8"
DUPLICATES_VERSION = "d3"  # which atoms are merged, which merges are asked about
CONTRADICTIONS_VERSION = "k5"
LEDGER_VERSION = "l11"  # what else the ledger decides: status, confidence, links, mentions
