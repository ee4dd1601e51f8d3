"""Scenarios of Gherkin: lines that begin with Given, When, Then, And, But are one passage.

They stand in a file of features, in a code block that says so, in a list, or as bare lines. Prose
may begin its lines so too; there the first line must be a condition without a need of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.offline.lexicons import Wording
from agents.offline.segment.passages import Span
from agents.offline.segment.scan import Scan

SORTS = {
    **dict.fromkeys(("given", "angenommen", "gegeben", "dado", "dada", "dados"), "given"),
    **dict.fromkeys(("when", "wenn", "cuando"), "when"),
    **dict.fromkeys(("then", "dann", "entonces"), "then"),
    **dict.fromkeys(("and", "und", "y", "*"), "and"),
    **dict.fromkeys(("but", "aber", "pero"), "but"),
}
_STEP = re.compile(
    r"[ \t]*(?:>[ \t]*)?(?:(?:[-*+•]|\d{1,2}[.)])[ \t]+)?(?:\*\*|__|[*_`])?"
    r"(?P<word>Given|GIVEN|When|WHEN|Then|THEN|And|AND|But|BUT|Angenommen|Gegeben|Wenn|Dann|Und|"
    r"Aber|Dad[oa]s?|Cuando|Entonces|Y|Pero)(?:\*\*|__|[*_`])?:?(?:\*\*|__)?[ \t]+(?P<said>\S.*)$"
)
_STAR = re.compile(r"[ \t]*(?P<word>\*)[ \t]+(?P<said>\S.*)$")
_HEADER = Wording("stories", "scenario_header")
_EXAMPLES = re.compile(r"[ \t]*(?:Examples|Scenarios|Beispiele|Ejemplos):[ \t]*(?P<said>.*)$")
_NUMBERED = re.compile(
    r"(?:\*\*|__)?(?:(?:AC|TC|UC|US|Case|Criterion|Criteria|Scenario|Test)[ _#-]*\d[\d.]*"
    r"|(?:[A-Z]{1,6}[_-]?\d[\d.-]*))(?:[ \t]?[:.–-][^.\n]{0,60})?(?:\*\*|__)?:?",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"\W*(?:scenario|szenario|escenario)\b", re.IGNORECASE)
_ENDS = re.compile(r"[ \t]*(?:#{1,6}[ \t]|={2,6}[ \t]|```|~~~|[-*+•][ \t]|\d{1,2}[.)][ \t]|@\w)")
_BINDS = re.compile(r",.*\b(?:must|shall|should|ha(?:s|ve) to|needs? to|cannot)\b")
_OF_CODE = Wording("stories", "steps_of_code")
_OF_SCENARIO = ("scenario", "example", "szenario", "beispiel", "escenario", "esquema", "ejemplo")
_OF_BACKGROUND = ("background", "hintergrund", "antecedentes")
_OF_RULE = ("rule", "regel", "regla")
_FEATURE = 7  # the level of its title within a document
MOST_LINES = 80  # of a scenario, its examples among them
Step = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scenario:
    """``steps`` are what is said, each after its word; ``span`` goes from the first to the last."""

    steps: tuple[Step, ...]
    span: Span
    lines: int


def take_scenario(scan: Scan, lines: Sequence[str], number: int, at: int) -> int:
    """The number of lines that are taken as a scenario, its background or a line of Gherkin."""
    line = lines[number]
    if scan.until or scan.fence or scan.skips_paragraph or scan.skip_indent >= 0:
        return 0
    if _OF_CODE.match(line):
        return _open_code(scan, lines[number : number + 2])
    header = _HEADER.match(line)
    if header is None and not _STEP.match(line):
        return _take_aside(scan, line) if scan.gherkin else 0
    sort = header["sort"].lower() if header else ""
    if header and not sort.startswith((*_OF_SCENARIO, *_OF_BACKGROUND)):
        return _take_title(scan, header, sort, at) if scan.gherkin else 0
    over = scan.headings()
    called = header is not None or scan.gherkin
    called = called or bool(over and _LABELLED.match(over[-1]))
    if header is None and not called and _is_inside(scan):
        return 0
    scenario = _read_steps(lines, number, at, header, called=called, gherkin=scan.gherkin)
    if scenario is None:
        return 0
    scan.flush()
    if sort.startswith(_OF_BACKGROUND):
        scan.background = tuple(it for it in scenario.steps if it[0] != "scenario")
        return scenario.lines
    if not _is_scenario(scenario.steps, called=called):
        return 0
    scan.open(*scenario.span, "scenario", 0, cells=(*scan.background, *scenario.steps))
    scan.flush()
    return scenario.lines


def _is_inside(scan: Scan) -> bool:
    """Whether the lines above go on here; a number or name of the scenario does not."""
    if scan.block is None or scan.block.form == "item":
        return False
    above = scan.text[scan.block.start : scan.block.end].strip()
    return scan.block.lines > 1 or not _NUMBERED.fullmatch(above)


def _open_code(scan: Scan, lines: Sequence[str]) -> int:
    """What opens a block of scenarios, in AsciiDoc with its line of hyphens."""
    scan.flush()
    fence = lines[-1].strip()
    if scan.dialect == "adoc" and len(fence) >= 4 and not fence.strip("-"):
        scan.prose_fence, scan.gherkin = fence, True
        return 2
    return 1 if scan.dialect == "rst" else 0


def _take_aside(scan: Scan, line: str) -> int:
    """A remark, tag or table of Gherkin, which states nothing."""
    if not line.strip() or line.lstrip()[0] not in "#@|":
        return 0
    scan.flush()
    return 1


def _take_title(scan: Scan, header: re.Match[str], sort: str, at: int) -> int:
    """The line that names a feature, or a rule, which holds by itself."""
    title = header["title"]
    start = at + header.start("title")
    scan.flush()
    if sort.startswith(_OF_RULE):
        if title.strip():
            scan.open(start, start + len(title), "item", 0)
            scan.flush()
        return 1
    scan.background = ()
    if title.strip():
        scan.heading(_FEATURE if scan.stack else 1, title, start, start + len(title))
    return 1


def _read_steps(
    lines: Sequence[str],
    number: int,
    at: int,
    header: re.Match[str] | None,
    *,
    called: bool,
    gherkin: bool,
) -> Scenario | None:
    """The steps from this line on, to the first line that is none of them."""
    steps: list[Step] = []
    if header and header["title"].strip():
        steps.append(("scenario", header["title"].strip()))
    begin, end, taken, here = at + len(lines[number]) - len(lines[number].lstrip()), at, 0, at
    blanks = False
    for offset, line in enumerate(lines[number : number + MOST_LINES]):
        after = here + len(line) + 1
        if header and offset == 0:
            end, taken = here + len(line.rstrip()), 1
        elif not line.strip():
            blanks = True
        elif match := (_STEP.match(line) or (_STAR.match(line) if gherkin else None)):
            word = SORTS[match["word"].lower()]
            step_names = {it for it, _ in steps}
            if (blanks and not (called or _is_bare(steps))) or (
                word == "given" and "then" in step_names
            ):
                break
            steps.append((word, match["said"].strip()))
            end, taken, blanks = here + len(line.rstrip()), offset + 1, False
        elif examples := _EXAMPLES.match(line) if called else None:
            steps.append(("examples", examples["said"]))
            end, taken, blanks = here + len(line.rstrip()), offset + 1, False
        elif _goes_on(line, steps, blanks=blanks, gherkin=gherkin):
            steps[-1] = (steps[-1][0], f"{steps[-1][1]} {line.strip()}".strip())
            end, taken, blanks = here + len(line.rstrip()), offset + 1, False
        elif not (gherkin and line.lstrip()[0] == "#"):
            break
        here = after
    return Scenario(tuple(steps), (begin, end), taken) if taken and steps else None


def _goes_on(line: str, steps: Sequence[Step], *, blanks: bool, gherkin: bool) -> bool:
    """Whether a line belongs to the step before: its table, its text, or the rest of it."""
    if not steps or _HEADER.match(line) or (_ENDS.match(line) and line.lstrip()[0] != "|"):
        return False
    if steps[-1][0] == "scenario" and not gherkin:
        return False
    indented = line[:1] in " \t"
    return (indented or not gherkin) if not blanks else (gherkin and indented)


def _is_bare(steps: Sequence[Step]) -> bool:
    """Whether no step so far is a sentence of prose, with its stop or a need of its own."""
    return all(text[-1:] not in ".!?:" and not _BINDS.search(text) for _, text in steps)


def _is_scenario(steps: Sequence[Step], *, called: bool) -> bool:
    """Whether the steps have a condition and, after it, an outcome."""
    words = [word for word, _ in steps if word not in ("scenario", "examples")]
    if "then" not in words or words[0] not in ("given", "when"):
        return called and "then" in words
    if called:
        return True
    first = words.index("then")
    text = steps[0][1]
    if _BINDS.search(text) or ("," in text and text.endswith(".")):
        return False
    return "given" in words[:first] or _is_bare(steps[:first])
