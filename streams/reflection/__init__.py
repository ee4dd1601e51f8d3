"""Stage 1b: fixed rules check what a reader proposes before it may enter the ledger.

The pass calls nobody: the same candidates and the same chunk give the same verdicts on every
machine. Whether the chunk's hash is still current depends on time, so the ledger's turn checks it.
"""

from streams.reflection.rules import reflect

__all__ = ["reflect"]
