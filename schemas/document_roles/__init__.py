"""What part a document plays: the words that tell it, and what people call it.

``roles`` reads the names of folders, files, titles and headings by ``roles.toml``; ``public``
says it in the words that people and events use. Stage 0 tells it of a whole document, the readers
of each passage.
"""
