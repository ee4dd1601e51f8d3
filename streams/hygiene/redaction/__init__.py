"""Redacting: what must not be read becomes a numbered placeholder.

Reading order: ``redact``; what it replaces, ``secret_search`` and ``personal``; ``decoded``, the
views of a text that are searched, too; ``strings``, the same for names, titles and errors.
"""
