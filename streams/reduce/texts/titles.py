"""Titles of items: names as the sources write them, and those of areas."""

from __future__ import annotations

from collections.abc import Mapping

AREA_TITLES: Mapping[str, str] = {
    "scope": "Core behaviour",
    "user_needs": "User needs",
    "architecture_decisions": "Architecture",
    "data_model": "Data model and storage",
    "integrations": "Interfaces and integrations",
    "security": "Security and trust",
    "non_functional": "Quality and performance",
    "deployment_constraints": "Deployment",
    "operations": "Operation and monitoring",
    "testing": "Testing",
    "delivery": "Delivery and releases",
    "market": "Market",
}


def capitalize(text: str) -> str:
    """``text`` with a capital at its beginning, unless it is a name in small letters."""
    first = text.split(" ", 1)[0]
    named = any(sign.isupper() or sign.isdigit() for sign in first)
    return text if named else text[:1].upper() + text[1:]


def lower(text: str) -> str:
    """``text`` as it goes on in a sentence; names keep their capitals."""
    named = any(sign.isupper() for sign in text[1:])
    return text if named else text[:1].lower() + text[1:]
