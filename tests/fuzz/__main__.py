"""``python -m tests.fuzz --minutes 10 --seed 1 --save FOLDER``; exit 1 when there is a finding."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.campaign import run


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--save", type=Path, help="folder for the inputs of findings")
    given = asked.parse_args()
    report = run(given.seed, seconds=given.minutes * 60, save=given.save)
    print("\n".join(report.lines()))
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
