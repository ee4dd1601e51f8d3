"""Whether a question is about what Cairn itself holds, or about the project.

«What did we spend?» asks for Cairn's own costs; «what does a transaction cost on the free plan?»
has words of its own and is a question about the project, though a word of it is the same.
"""

from __future__ import annotations

import re

from agents.project.lexicons import load_words

# What they tell has names that projects use for other things. Features, tasks, sprints and
# contradictions are Cairn's own wherever they are asked for.
AMBIGUOUS = frozenset(
    ("get_member_workload", "list_members", "list_jobs", "get_cost_report", "get_project_status")
    + ("suggest_assignments", "prioritize_features", "list_gaps", "forecast_delivery")
    + ("generate_standup", "generate_retro", "generate_sprint_report")
)
# Tools that list what Cairn holds: where they have nothing, the documents may.
LISTS = frozenset(
    ("list_members", "list_jobs", "list_unknowns", "list_contradictions", "search_sources")
    + ("list_tasks", "list_features", "list_sprints", "list_epics", "list_gaps", "analyze_risks")
)
_OWN = load_words("own_objects", "asking") | load_words("own_objects", "objects")
_WORD = re.compile(r"[^\W\d_]+")
_SHORT_FORM = re.compile(r"['’](?:s|re|m|ve|ll|d|t)\b")


def is_about_project(request: str) -> bool:
    """Whether a question has words that are neither an object of Cairn nor a word of asking."""
    bare = _SHORT_FORM.sub("", request.lower())
    return any(word not in _OWN for word in _WORD.findall(bare))
