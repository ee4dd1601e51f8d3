"""Insights, features and epics.

Reading order: ``material``, ``candidates``, ``clusters``: what they are made of; ``wordings``,
``finding``, ``findings_of_documents``, ``findings_of_features``, ``findings_of_questions``,
``findings``: insights; ``features``, ``epics``, ``planning``; ``user_edited``,
``user_edited_features``: what people make and change; ``lists``: all of one position.
"""
