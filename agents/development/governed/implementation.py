"""`tdd_implementation`: from a specification to tests, code and a pull request.

What is reviewed is the change: a diff with the tree that it leads to. What is committed is that
tree, and no other.
"""

from __future__ import annotations

from agents.development.checks.files_table import ids_in, prefix_of, requirements_in
from agents.development.checks.markdown import read_document
from agents.development.errors import ToolError
from agents.development.governed.coding import list_changed
from agents.development.governed.finalising import check_approved, conclude
from agents.development.governed.gates import persist, stop
from agents.development.governed.graphs import Workflow, WorkflowNode
from agents.development.governed.loading import load_approved_input, read_codebase
from agents.development.governed.node import END, AtNode, RunEnded, Step, hash_text
from agents.development.governed.reviewing import (
    LARGEST_DRAFT,
    TOO_LARGE,
    Exits,
    review,
    settle_with,
)
from agents.development.governed.state import ImplementationState
from agents.development.governed.tdd_code import fix, implement, run_green
from agents.development.governed.tdd_tests import plan_tests, validate_plan, verify_red, write_tests
from agents.development.trailers import list_trailers
from agents.development.workflow_ports import Commit, PullRequest, Tree, Value
from agents.fence import is_unseen

ARTIFACT_TYPE = "change"
PREFIXES = ("R", "R-", "FR", "FR-", "NFR", "NFR-", "REQ", "REQ-", "AC-", "US-")
NO_REQUIREMENTS = "No requirement has an id, so no test could be named after one."
OTHER_TREE = "The tree of the commit is {commit}, and {reviewed} was reviewed."
OTHER_CHANGE = "The change is not the one that was reviewed."


class Text(Value):
    text: str


async def load_specification(at: AtNode, state: ImplementationState) -> Step:
    """The specification, the ids of its requirements and the code that it is about."""
    loaded = await load_approved_input(at, state)
    requirements = list_requirement_ids(at.run.issue.text, at.run.input.text)
    if not requirements:
        ways = ("Give each requirement an id such as R-1, and start a new run.",)
        await stop(at, "no_requirements", NO_REQUIREMENTS, ways)
    change = {**loaded.change, "requirements": requirements}
    if at.run.ports.codebase is not None:
        change |= (await read_codebase(at, state)).change
    return Step(change)


async def prepare_worktree(at: AtNode, state: ImplementationState) -> Step:
    """A worktree of this run alone, at the commit from which it begins."""
    trees = at.run.ports.trees
    assert trees is not None  # see NEEDED

    async def make(key: str) -> Tree:
        return await trees.prepare()

    tree = await persist(at, lambda: at.call("prepare_worktree", {}, Tree, make))
    return Step({"base": tree.tree_id, "tree": tree.tree_id})


async def report_change(at: AtNode, state: ImplementationState) -> Step:
    """The change as it is reviewed: what was tested, which files differ, and how."""
    files = await list_changed(at, state["base"], state["tree"])
    report = describe_change(state, files)
    draft = render_change(state["tree"], report, await _read_diff(at, state))
    return Step({"draft": draft, "reviewed_tree": state["tree"], "report": report})


async def open_pull_request(at: AtNode, state: ImplementationState) -> Step:
    """Exactly the reviewed tree is committed, and offered as a pull request."""
    trees, pull_requests, run = at.run.ports.trees, at.run.ports.pull_requests, at.run
    assert trees is not None and pull_requests is not None  # see NEEDED
    check_approved(state)
    tree = state["reviewed_tree"]
    if render_change(tree, state["report"], await _read_diff(at, state)) != state["draft"]:
        raise RunEnded("failed", "artifact_changed", OTHER_CHANGE)
    message = write_message(at, state)

    async def commit(key: str) -> Commit:
        return await trees.commit(tree, message, key)

    args = {"tree_id": tree, "message_sha256": hash_text(message)}
    committed = await persist(at, lambda: at.call("commit", args, Commit, commit))
    if committed.tree_id != tree:
        text = OTHER_TREE.format(commit=committed.tree_id, reviewed=tree)
        raise RunEnded("failed", "artifact_changed", text)

    async def request(key: str) -> PullRequest:
        return await pull_requests.open(run.issue.title, state["report"], committed, key)

    about = {"commit_id": committed.commit_id, "branch": committed.branch}
    opened = await persist(at, lambda: at.call("open_pull_request", about, PullRequest, request))
    return await conclude(at, state, ARTIFACT_TYPE, opened.address)


def list_requirement_ids(*texts: str) -> list[str]:
    """The ids of requirements that the texts define, else those that they mention, in capitals."""
    defined = [it.id.upper() for text in texts for it in requirements_in(read_document(text))]
    lines = [line.split(":")[0].strip(" -*`") for text in texts for line in text.splitlines()]
    defined += [line.upper() for line in lines if ids_in([line]) == (line.upper(),)]
    if not defined:
        defined = [one for one in ids_in(texts) if prefix_of(one) in PREFIXES]
    return list(dict.fromkeys(defined))


def describe_change(state: ImplementationState, files: list[str]) -> str:
    """What was tested and which files differ, in Markdown."""
    tests = state["tests"]
    lines = [
        f"Tests: {tests['runner']} ended with the exit code {tests['exit_code']}.",
        f"Requirements with a test: {', '.join(state['covered'])}.",
        "",
        "Files:",
        *(f"- {path}" for path in files),
    ]
    return "\n".join(lines)


def render_change(tree: str, report: str, diff: str) -> str:
    """The change as one text. What a reader would not see is written out, since it is reviewed."""
    text = f"Tree: {tree}\n\n{report}\n\n{diff}".replace("\r", "\\r")
    return "".join(
        mark if mark in "\n\t" or not is_unseen(mark) else f"\\u{{{ord(mark):x}}}" for mark in text
    )


def write_message(at: AtNode, state: ImplementationState) -> str:
    """The message of the commit; its trailers lead back to where the change comes from."""
    run = at.run
    trailers = [
        *list_trailers(run.run_id, run.origin),
        f"Cairn-Reviewed-Change: {hash_text(state['draft'])}",
        *(f"Cairn-Requirement: {one}" for one in state["covered"]),
    ]
    title = " ".join(run.issue.title.split())[:72] or f"Issue {run.issue.number}"
    return f"{title}\n\n" + "\n".join(trailers) + "\n"


async def _read_diff(at: AtNode, state: ImplementationState) -> str:
    trees, base, tree = at.run.ports.trees, state["base"], state["tree"]
    assert trees is not None  # see NEEDED

    async def make() -> Text:
        diff = await trees.show_diff(base, tree)
        if len(diff) > LARGEST_DRAFT:
            raise ToolError(TOO_LARGE.format(size=len(diff), limit=LARGEST_DRAFT))
        return Text(text=diff)

    given = {"diff_from": base, "diff_to": tree}
    return (await persist(at, lambda: at.read(Text, given, make))).text


IMPLEMENTATION = Workflow(
    name="tdd_implementation",
    state=ImplementationState,
    nodes={
        "N0": WorkflowNode("load specification", load_specification, ("N1", END)),
        "N1": WorkflowNode("prepare worktree", prepare_worktree, ("N2", END)),
        "N2": WorkflowNode("plan tests", plan_tests, ("N3", END)),
        "N3": WorkflowNode("validate test plan", validate_plan, ("N4", "N2", END)),
        "N4": WorkflowNode("write tests", write_tests, ("N5", "N7", "N4", END)),
        "N5": WorkflowNode("verify red", verify_red, ("N6", "N4", END)),
        "N6": WorkflowNode("implement", implement, ("N7", END)),
        "N7": WorkflowNode("run tests", run_green, ("N9", "N8", "N4", END)),
        "N8": WorkflowNode("fix", fix, ("N7", END)),
        "N9": WorkflowNode("report", report_change, ("N10", END)),
        "N10": WorkflowNode("review", review, ("N11", END)),
        "N11": WorkflowNode(
            "human gate verdict", settle_with(Exits("N12", "N8", "N10")), ("N12", "N8", "N10", END)
        ),
        "N12": WorkflowNode("pull request", open_pull_request, (END,)),
    },
    edges_per_loop=24,
    review="N10",
    final="N12",
    edges_per_fix=2,
)
