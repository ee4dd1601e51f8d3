"""Insights, features and epics.

Reading order: ``material``, ``candidates``, ``clusters``: what they are made of; ``findings``,
``features``, ``epics``, ``planning``; ``user_edited``, ``user_edited_features``: what people make
and change; ``lists``: all of one position.
"""
