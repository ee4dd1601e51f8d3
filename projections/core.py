"""The read model of sources, ledger and artifacts: what all commands ask."""

from projections.fold import FOLDS, PROJECTED_TOPICS
from projections.projection import Projection
from projections.tables import TABLES

CORE = Projection(
    name="read-model",
    schema="cairn",
    topics=PROJECTED_TOPICS,
    folds=FOLDS,
    tables={table.name: table for table in TABLES},
)
