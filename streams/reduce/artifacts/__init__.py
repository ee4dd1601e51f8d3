"""What is alike in all artifacts.

Reading order: ``section_text``, ``markdown``; ``validator``, ``states``: what may be published, and
how far it may be relied on; ``edited_sections``: lines of people stay; ``items``: one item of a
list, made in the ``loop`` by ``making``.
"""
