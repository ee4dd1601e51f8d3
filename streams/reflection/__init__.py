"""Stage 1b: what a reader proposes is checked by fixed rules before it may enter the ledger (spec
02 §5).

The pass calls nobody: the same candidates and the same chunk give the same verdicts on every
machine. Whether the chunk's hash is still current depends on time and is therefore left to the
ledger's turn.
"""

from streams.reflection.rules import reflect

__all__ = ["reflect"]
