"""Names of the months and marks of the half of a day, in the languages Jira is shown in.

Each language names its twelve months in order; a month's full name and its short forms are parted
by ``/``. The same short form for two months (in two languages) is in no list.
"""

from __future__ import annotations

from schemas.data_files import read_table

LANGUAGES: dict[str, str] = read_table(__package__, "months.toml")
CHINESE = "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"
YEAR_FIRST = frozenset(["午前", "午後", "上午", "下午", "오전", "오후"])  # of two digits, too
MORNING = frozenset(
    ["am", "vorm", "mañana", "vm", "fm", "ap", "de", "dop", "öö", "дп", "午前", "上午", "오전"]
)
AFTERNOON = frozenset(
    ["pm", "nachm", "tarde", "nm", "em", "ip", "du", "odp", "ös", "пп", "午後", "下午", "오후"]
)


def _months() -> dict[str, int]:
    """Every name with its month, without those that mean two."""
    means: dict[str, set[int]] = {}
    for names in (*LANGUAGES.values(), CHINESE):
        for number, month in enumerate(names.split(), start=1):
            for name in month.split("/"):
                means.setdefault(name, set()).add(number)
    return {name: numbers.pop() for name, numbers in means.items() if len(numbers) == 1}


MONTHS = _months()
