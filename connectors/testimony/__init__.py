"""What people say in chat: whose it is, how risky it is, and its way to the team ledger alone."""

from connectors.testimony.people import pseudonym_of
from connectors.testimony.risk import Risk, risk_of

__all__ = ["Risk", "pseudonym_of", "risk_of"]
