"""Reports from artifacts as they are.

Reading order: ``reports``, ``report_lines``, ``standup``, ``retrospective``.
"""
