"""Chat as testimony: whose words, how risky, and their path to the team ledger only."""

from connectors.testimony.people import pseudonym_of
from connectors.testimony.risk import Risk, risk_of

__all__ = ["Risk", "pseudonym_of", "risk_of"]
