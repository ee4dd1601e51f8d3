"""Questions to the tables, one file a subject: typed answers, lists a page at a time.

Answers are frozen pydantic models, since most records in the tables were dumped from pydantic parts
of events: those come back as the same classes, and the HTTP layer can serialise them as they are.
"""
