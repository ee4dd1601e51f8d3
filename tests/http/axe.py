"""The rules of axe-core for accessible pages, run in a tab.

Chosen: the levels A and AA of WCAG 2.0 to 2.2 and axe's best practices.
"""

from __future__ import annotations

import json
from functools import cache

from tests.http.chromium import Tab
from tests.packages import find_shipped_file

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {
    "runOnly": {"type": "tag", "values": TAGS},
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations", "incomplete"],
    "preload": False,  # it would ask for the styles again, which the policy of an export forbids
}
FAULTS = """
axe.run(document, %s).then((found) => {
  const unsure = found.incomplete.filter((it) => %s && it.id === "color-contrast");
  return [...found.violations, ...unsure].flatMap((rule) =>
    rule.nodes.map((it) => `${rule.id}: ${it.target.join(" ")}: ${it.failureSummary}`));
})
"""


@cache
def read_axe() -> str:
    return find_shipped_file("axe-playwright-python", ".js").read_text()


def find_faults(tab: Tab, *, is_wide: bool) -> list[str]:
    """What of the page breaks a rule: the rule, where, and why.

    In a wide window a contrast that axe cannot measure is a fault too; in a narrow one it says so
    of all that is scrolled out of sight, in the colours of the wide one.
    """
    if not tab.run("Boolean(window.axe)"):
        tab.run(read_axe())
    found: list[str] = tab.run(FAULTS % (json.dumps(OPTIONS), json.dumps(is_wide)))
    return found
