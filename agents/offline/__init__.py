"""The reader that needs no model: fixed rules over structure and wording. Its version is ``h1``."""
