"""The tasks of `cairn eval`: the functions of the stages over rows of a file, one file a task.

A task is a module with ``answer_all(rows, options)``; ``tasks.py`` names it and says which fields
its rows must have. It calls what the stage calls and opens no connection.
"""
