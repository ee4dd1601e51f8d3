"""Tasks and sprints.

Reading order: ``breakdown``, what tasks are cut from; ``tasks``, with ``user_edited_approach`` and
``user_edited_tasks``; ``members``, ``sprint``, ``user_edited_sprints``, ``commitments``;
``backlog``, all tasks of one position; ``velocity``, ``forecast``, ``sprint_plans``.
"""
