"""A project of its own for the browser: its PRD can become stable, and its sources are hostile."""

from __future__ import annotations

from pathlib import Path

from tests.http.conftest import DISAGREEING

DEPOT = """\
# Depot

## Problem

Senders do not know where parcels are: scans come late.

## Goals

- Senders must see a new scan within 5 seconds of the event.
- Depot managers must find a lost parcel within one minute.

## Users

Customers ask for a weekly report of late shipments. Depot managers complain about scanners that
lose their connection in the basement.

## Scope

- Billing is out of scope.

## How it works

The Gateway receives scan events over HTTP and writes them to the event log. The Tracker reads the
event log and stores the latest position of every shipment in PostgreSQL. The Tracker uses the
`kafka` client library because the event log must be replayable.

## Data

The event log has one partition per depot.

## Deployment

The Gateway runs on Kubernetes with three replicas. The Tracker runs on a single virtual machine.

## Architecture

- We will use Kafka as the event log because it keeps the order within a partition.

## Risks

- If the event log loses a partition, scan events of that depot are lost.

## Success metrics

- The share of late scans must fall below 2 percent.

## Requirements

- The Gateway must answer a scan request in less than 200 ms.
- The Gateway must keep every event for 24 months because customs may ask for it.
"""
PLAIN = "These words only make the line long. " * 60
NOISE = "=" * 500_000
WRITTEN = DISAGREEING | {
    "README.md": DEPOT,
    "one-line.md": f"# Cranes\n\n{NOISE} {PLAIN}The crane must never lift two crates at once."
    f" {PLAIN}{NOISE}\n",
    "zeros.md": "# Scales\n\n"
    + "The scales are old.\n" * 450  # a zero further up says «binary»
    + "\nThe 🚚 scale must\0 print a label 🏷 for each parcel.\n",
}
HOSTILE_PATHS = ("hostile.md", "one-line.md", "zeros.md")


def write_to(folder: Path) -> Path:
    """The project as files below ``folder``."""
    for path, text in WRITTEN.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder
