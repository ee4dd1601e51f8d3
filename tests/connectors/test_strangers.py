"""No program that a repository names runs, whichever of git's ways to start one it takes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from connectors.connector import SourceRefused
from tests.connectors.worlds import a_repository, contents, git, list_source

ATTRIBUTES = b"* filter=evil diff=evil merge=evil\n"
FILES = {"a.md": b"1\n", ".gitattributes": ATTRIBUTES, "src/app.py": b"pass\n"}
SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----"


@dataclass(frozen=True)
class Way:
    """What a repository says, and the command of git that would run PROGRAM for it, if one would.

    ``config`` is the text of `.git/config`, ``files`` are written into `.git`.
    """

    config: str = ""
    runs_at: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    attributes: bytes = ATTRIBUTES
    given: bytes = b""


HOOK = "#!/bin/sh\nPROGRAM\n"
FSMONITOR = "[core]\nfsmonitor = PROGRAM\n"
ASKED = b"protocol=https\nhost=127.0.0.1\n\n"
WAYS = {
    "clean": Way("[filter \"evil\"]\nclean = PROGRAM\nrequired = true", ("diff", "HEAD")),
    "clean of a name with =": Way(
        "[filter \"a=b\"]\nclean = PROGRAM", ("diff", "HEAD"), attributes=b"* filter=a=b\n"
    ),
    "clean of a name with a dot and a line": Way(
        "[filter \"a.b\\\\\"]\nclean = PROGRAM", attributes=b"* filter=a.b\\\n"
    ),
    "smudge": Way("[filter \"evil\"]\nsmudge = PROGRAM", ("cat-file", "--filters", "HEAD:a.md")),
    "process": Way("[filter \"evil\"]\nprocess = PROGRAM", ("diff", "HEAD")),
    "textconv": Way("[diff \"evil\"]\ntextconv = PROGRAM", ("diff", "HEAD")),
    "diff command": Way("[diff \"evil\"]\ncommand = PROGRAM", ("diff", "HEAD")),
    "external diff": Way("[diff]\nexternal = PROGRAM", ("diff", "HEAD")),
    "merge driver": Way("[merge \"evil\"]\ndriver = PROGRAM"),
    "fsmonitor": Way(FSMONITOR, ("status",)),
    "hooks path": Way("[core]\nhooksPath = HOOKS", ("update-ref", "refs/heads/x", "HEAD")),
    "hooks": Way(
        "", ("update-ref", "refs/heads/x", "HEAD"),
        files={f"hooks/{name}": HOOK for name in (
            "reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc",
            "fsmonitor-watchman", "post-update", "post-merge")},
    ),
    "pager": Way("[core]\npager = PROGRAM\n[pager]\nlog = PROGRAM\nls-tree = PROGRAM"),
    "credential helper": Way("[credential]\nhelper=!PROGRAM", ("credential", "fill"), given=ASKED),
    "askpass": Way("[core]\naskPass = FILE", ("credential", "fill"), given=ASKED),
    "ssh": Way("[core]\nsshCommand = PROGRAM", ("ls-remote", "ssh://127.0.0.1/x")),
    "proxy": Way("[core]\ngitProxy = FILE", ("ls-remote", "git://127.0.0.1/x")),
    "editor": Way("[core]\neditor = PROGRAM\n[sequence]\neditor = PROGRAM", ("commit", "--amend")),
    "signatures": Way(
        "[gpg]\nprogram = FILE\n[log]\nshowSignature = true\n[gpg \"ssh\"]\nprogram = FILE",
        ("log", "-1"),
    ),
    "promised objects": Way(
        "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n"
        "[remote \"origin\"]\npromisor = true\nurl = ext::sh -c PROGRAM\n"
        "[protocol \"ext\"]\nallow = always",
        ("cat-file", "-p", "1" * 40),
    ),
    "upload-pack of a remote": Way(
        "[remote \"origin\"]\nurl = .\nuploadpack = PROGRAM;git-upload-pack", ("fetch", "origin")
    ),
    "another address": Way(
        "[protocol \"ext\"]\nallow = always\n[url \"ext::sh -c PROGRAM \"]\ninsteadOf = file:\n"
        "insteadOf = /",
        ("ls-remote", "file:///x"),
    ),
    "pack-objects hook": Way("[uploadpack]\npackObjectsHook = PROGRAM"),
    "include": Way("[include]\npath = more", ("status",), files={"more": FSMONITOR}),
    "conditional include": Way(
        "[includeIf \"gitdir:**\"]\npath = more", ("status",), files={"more": FSMONITOR}
    ),
    "configuration of a work tree": Way(
        "[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig = true", ("status",),
        files={"config.worktree": FSMONITOR},
    ),
    "alias": Way(
        "[alias]\nhi = !PROGRAM\nlog = !PROGRAM\nls-tree = !PROGRAM\nrev-parse = !PROGRAM", ("hi",)
    ),
    "alternate references": Way(
        "[core]\nalternateRefsCommand = PROGRAM;true", ("log", "--alternate-refs"),
        files={"objects/info/alternates": "OTHER\n"},
    ),
    "submodule": Way("[submodule \"lib\"]\nactive = true\nurl = ./x\nupdate = !PROGRAM"),
    "trailers": Way(
        "[trailer \"x\"]\nkey = X\ncommand = PROGRAM\nifmissing = add", ("interpret-trailers",)
    ),
    "archive": Way("[tar \"evil\"]\ncommand = PROGRAM", ("archive", "--format=evil", "HEAD")),
}  # fmt: skip


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose last commit has a signature."""
    work = a_repository(tmp_path_factory.mktemp("origin") / "shop", FILES)
    head, _, message = git(work, "cat-file", "-p", "HEAD").partition("\n\n")
    signed = f"{head}\n{SIGNATURE}\n\n{message}\n".encode()
    made = subprocess.run(
        ("git", "hash-object", "-t", "commit", "-w", "--stdin"),
        cwd=work, input=signed, capture_output=True, check=True,
    )  # fmt: skip
    git(work, "update-ref", "HEAD", made.stdout.decode().strip())
    return work


@dataclass(frozen=True)
class Stranger:
    work: Path
    mark: Path

    def has_run(self) -> bool:
        """Whether the program ran since somebody asked."""
        ran = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return ran


def a_stranger(at: Path, origin: Path, way: Way) -> Stranger:
    stranger = Stranger(at / "shop", at / "ran")
    shutil.copytree(origin, stranger.work)
    (stranger.work / ".git" / "hooks").mkdir(exist_ok=True)
    program = at / "program"
    program.write_text(f"#!/bin/sh\ntouch {stranger.mark}\n")
    hooks, other = at / "hooks", a_repository(at / "other", {"o.md": b"other\n"})
    hooks.mkdir()
    names = {
        "PROGRAM": str(program),
        "FILE": str(program),
        "HOOKS": str(hooks),
        "OTHER": str(other / ".git" / "objects"),
    }

    def named(text: str) -> str:
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    for name in ("reference-transaction", "post-index-change"):
        (hooks / name).write_text(named(HOOK))
    for name, text in way.files.items():
        (stranger.work / ".git" / name).write_text(named(text))
    with (stranger.work / ".git" / "config").open("a") as config:
        config.write(named(way.config))
    for file in (program, *hooks.iterdir(), *(stranger.work / ".git" / "hooks").iterdir()):
        file.chmod(0o755)
    (stranger.work / ".gitattributes").write_bytes(way.attributes)
    (stranger.work / "a.md").write_bytes(b"edited\n")
    return stranger


def run_as_a_visitor(stranger: Stranger, way: Way) -> None:
    """What somebody does who trusts the repository."""
    command = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", *way.runs_at)
    subprocess.run(command, cwd=stranger.work, input=way.given, capture_output=True, check=False)


@pytest.mark.parametrize("name", WAYS)
def test_no_program_of_a_repository_runs(tmp_path: Path, origin: Path, name: str) -> None:
    way = WAYS[name]
    stranger = a_stranger(tmp_path, origin, way)
    bare = tmp_path / "bare.git"
    shutil.copytree(stranger.work / ".git", bare)
    if way.runs_at:  # it is a way to start a program
        visited = Stranger(tmp_path / "visited", stranger.mark)
        shutil.copytree(stranger.work, visited.work)
        run_as_a_visitor(visited, way)
        assert stranger.has_run()
    borrows = "objects/info/alternates" in way.files
    for spec in (stranger.work, stranger.work / ".git", bare, f"file://{stranger.work}"):
        if borrows:
            with pytest.raises(SourceRefused, match="borrows objects"):
                list_source(spec, tmp_path / "clones")
        else:
            edited = b"edited\n" if spec == stranger.work else b"1\n"
            found = contents(list_source(spec, tmp_path / "clones"))
            assert (found["a.md"], set(found)) == (edited, set(FILES))
        assert not stranger.has_run()
