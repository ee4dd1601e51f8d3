"""One atom: its figures, its names, and when it stops being live.

Reading order: ``document_status``, ``evidence``; ``lifecycle``; ``entities``; ``reasoning``, links
between atoms of a passage; ``answers`` and ``newer_facts``, atoms that others replace.
"""
