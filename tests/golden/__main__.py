"""Record the corpus anew, unless a stage has other results and its version was not raised."""

import sys

from tests.golden.record import FILE, find_unraised, read_record, record_of, write_record
from tests.golden.stages import run_corpus

now = record_of(run_corpus())
unraised = find_unraised(read_record(), now) if FILE.exists() else []
if unraised:
    sys.exit("\n".join(unraised))
write_record(now)
print("recorded: " + ", ".join(f"{stage} {it.version}" for stage, it in now.items()))
