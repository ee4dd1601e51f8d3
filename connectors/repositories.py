"""Reads repositories of others without using their configuration.

Each is read through a git directory of ours: a temporary folder with our configuration, links to
the repository's objects, a copy of its index, and HEAD as we resolved it. A pointer out of a
repository is followed only if the other end names it back: a linked work tree and its repository, a
submodule and the repository that contains it. Objects borrowed from other repositories are refused.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from connectors.connector import Listing, SourceRefused, SourceUnavailable, printable
from connectors.git import GitDirectory, git_answers, list_commit, run_git
from connectors.paths import READ, Root, is_beneath

MAX_FILE_BYTES = 256 * 1024**2  # an index of a million files
MAX_CONFIG_BYTES = 1024**2
MAX_POINTER_BYTES = 8 * 1024
MAX_LINKS = 5  # from HEAD to a branch, as git
UNTRACKED_TIMEOUT_S = 30
FORMATS = ("sha1", "sha256")
CONFIG = """[core]
\trepositoryformatversion = 1
\tbare = true
[extensions]
\tobjectFormat = {format}
"""
_OBJECT_ID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_OBJECT_FOLDER = re.compile(rb"[0-9a-f]{2}|pack")
_SHARED_INDEX = re.compile(rb"sharedindex\.[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, held open.

    ``git`` contains HEAD and the index, ``common`` objects and branches: two folders in a linked
    work tree. ``top`` is the top of its work tree.
    """

    git: Root
    common: Root
    top: Path | None = None

    def close(self) -> None:
        self.git.close()
        self.common.close()


class RepositoryView:
    """A git directory of ours that shows a repository; use it as a context manager.

    ``head`` is the commit of HEAD, None before the first one. ``top`` is the top of the work tree,
    or the repository itself. Raises SourceRefused, SourceUnavailable.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        folder = Path(tempfile.mkdtemp(prefix="cairn-git-"))
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.top = repository.top or repository.git.folder
        self.directory = GitDirectory(folder, self.top)
        try:
            configured = _read_config(repository.common, b"config")
            self.object_format = _object_format(repository.common, configured)
            (folder / "refs").mkdir()
            _link_objects(repository.common, folder / "shown")
            # Git sometimes writes when it reads an index: into our folder, not theirs.
            (folder / "objects" / "info").mkdir(parents=True)
            (folder / "objects" / "info" / "alternates").write_text(f"{folder / 'shown'}\n")
            _copy(repository.common, b"shallow", folder)
            _copy(repository.git, b"index", folder)
            for name in _names(repository.git, b""):
                if _SHARED_INDEX.fullmatch(name):
                    _copy(repository.git, name, folder)
            kept = configured.get(b"extensions.refstorage", b"files")
            named = self._resolve_reftable() if kept == b"reftable" else _resolve(repository)
            self._write("ref: refs/heads/none")
            self.head = self._commit(named) if named else None
            self._write(self.head or "ref: refs/heads/none")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RepositoryView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._repository.close()
        self._remove()

    def _write(self, head: str, extension: str = "") -> None:
        """Writes HEAD and configuration."""
        (self.directory.folder / "HEAD").write_text(f"{head}\n")
        config = CONFIG.format(format=self.object_format)
        (self.directory.folder / "config").write_text(config + extension)

    def _commit(self, named: str) -> str | None:
        wanted = f"{named}^{{commit}}"
        return git_answers(self.directory, "rev-parse", "--verify", "--quiet", wanted) or None

    def _resolve_reftable(self) -> str | None:
        """The object that HEAD names in a reftable, read by git 2.45 or later.

        Raises SourceUnavailable if git is older.
        """
        name, tables = "HEAD", self.directory.folder / "reftable"
        self._write("ref: refs/heads/.invalid", "\trefStorage = reftable\n")
        for source in dict.fromkeys((self._repository.git, self._repository.common)):
            shutil.rmtree(tables, ignore_errors=True)
            tables.mkdir()
            for each in _names(source, b"reftable"):
                _copy(source, b"reftable/" + each, self.directory.folder)
            run_git(self.directory, "rev-parse", "--git-dir")
            name = git_answers(self.directory, "symbolic-ref", "--quiet", name) or name
            commit = git_answers(self.directory, "rev-parse", "--verify", "--quiet", name)
            if commit:
                break
        return commit or None


def list_work_tree(view: RepositoryView, scope: str, *options: str) -> list[bytes]:
    """Paths below ``scope`` that are in the work tree and not in the index, whole folders as one.

    Reads the .gitignore files of the tree, and no other configuration of the repository. Nothing
    if that takes long: who has so many has no use for their names.
    """
    listing = ("ls-files", "-z", "--others", "--exclude-standard", "--directory")
    arguments = (*listing, *options, "--", *([scope] if scope else []))
    top = {"GIT_WORK_TREE": str(view.top)}
    with contextlib.suppress(SourceUnavailable):
        listed = run_git(view.directory, *arguments, timeout_s=UNTRACKED_TIMEOUT_S, settings=top)
        return listed.split(b"\0")[:-1]
    return []


class GitFolder:
    """A bare repository, or the ``.git`` of a work tree: the tree of its HEAD."""

    def __init__(self, folder: Path, root: str) -> None:
        self.folder = folder
        self.root = root

    def list(self) -> Listing:
        view = open_view(self.folder)
        try:
            if view.head is None:
                raise SourceUnavailable(f"{self.folder} has no commit at its HEAD: make one.")
            listing = list_commit(view.directory, self.root, view.head)
        except BaseException:
            view.close()
            raise

        def close() -> None:
            listing.close()
            view.close()

        return replace(listing, close=close)


def open_view(place: Path) -> RepositoryView:
    """A view of the repository at ``place``, a git directory or the top of a work tree.

    Raises SourceRefused, SourceUnavailable.
    """
    repository = None
    with contextlib.suppress(OSError, RuntimeError):
        place = place.resolve(strict=True)
        repository = _find_at(place) or (_open_plain(place, None) if is_git_folder(place) else None)
    if repository is None:
        raise SourceUnavailable(f"{place} is not a git repository: check the path.")
    return RepositoryView(repository)


def find_repository(folder: Path) -> Repository | None:
    """The repository whose work tree contains ``folder``, on one file system, as git finds it.

    None if there is none. Raises SourceRefused if it points out of itself.
    """
    device = folder.stat().st_dev
    for top in (folder, *folder.parents):
        if top.stat().st_dev != device:
            return None
        if repository := _find_at(top):
            return repository
        if is_git_folder(top):
            return None
    return None


def is_git_folder(folder: Path) -> bool:
    """Whether ``folder`` is a bare repository or a ``.git``."""
    try:
        with Root(folder) as root:
            head = _read(root, b"HEAD") or b""
            for name in (b"objects", b"refs"):
                os.close(root.open_folder(name))
    except (OSError, ValueError, SourceRefused):
        return False
    return head.startswith(b"ref:") or bool(_OBJECT_ID.match(head))


def _find_at(top: Path) -> Repository | None:
    """The repository whose work tree begins at ``top``. Raises SourceRefused."""
    place = top / ".git"
    try:
        mode = place.lstat().st_mode
        if stat.S_ISDIR(mode):
            return _open_plain(place, top) if is_git_folder(place) else None
        if stat.S_ISLNK(mode):
            return _follow_pointer(Root(place.resolve()), top)
        if not stat.S_ISREG(mode):
            return None
        with os.fdopen(os.open(place, READ), "rb") as file:
            name, _, target = file.read(MAX_POINTER_BYTES).partition(b":")
        if name != b"gitdir":
            return None
        return _follow_pointer(Root((top / os.fsdecode(target.strip())).resolve()), top)
    except (OSError, ValueError, RuntimeError):  # the last for links in a circle
        return None  # the pointer leads nowhere: git finds no repository here either


def _open_plain(place: Path, top: Path | None) -> Repository:
    git = Root(place)
    if _read(git, b"commondir") is not None:
        git.close()
        raise _pointer_error(place)
    return Repository(git, git, top)


def _follow_pointer(git: Root, top: Path) -> Repository | None:
    """The repository in ``git`` for the work tree at ``top``, which it must name back."""
    folder = git.path
    back = _read(git, b"gitdir")
    if back is not None:
        named = (folder / os.fsdecode(back.strip())).parent.resolve()
        common = Root(folder.parent.parent)
        shared = _read(git, b"commondir") or b""
        is_its = (folder / os.fsdecode(shared.strip())).resolve() == common.path
        if named == top and is_its and folder.parent.name == "worktrees":
            return Repository(git, common, top)
    elif is_git_folder(folder) and _read(git, b"commondir") is None:
        options = _read_config(git, b"config") | _read_config(git, b"config.worktree")
        named = (folder / os.fsdecode(options.get(b"core.worktree", b""))).resolve()
        if named == top:
            return Repository(git, git, top)
    raise _pointer_error(top / ".git")


def _pointer_error(place: Path) -> SourceRefused:
    return SourceRefused(
        f"{place} points to a repository elsewhere that does not name it back, and is not followed:"
        " run `git worktree repair` there if it is yours, or clone it and give the clone."
    )


def _read_config(git: Root, name: bytes) -> dict[bytes, bytes]:
    """The values of a configuration file, read by git as data, without includes."""
    content = _read(git, name, MAX_CONFIG_BYTES) or b""
    nowhere = GitDirectory(Path("/"), git.path)
    listing = ("config", "--file", "-", "--no-includes", "--list", "-z")
    rows = run_git(nowhere, *listing, given=content).split(b"\0")
    return {key: value for key, _, value in (row.partition(b"\n") for row in rows)}


def _object_format(common: Root, configured: Mapping[bytes, bytes]) -> str:
    """The hash that names the repository's objects. Raises SourceRefused."""
    name = configured.get(b"extensions.objectformat", b"sha1").decode("utf-8", "replace")
    if name not in FORMATS:
        raise SourceRefused(
            f"{common.path} has objects of an unknown format ({printable(name[:20])}): clone the"
            " repository and give the clone."
        )
    return name


def _resolve(repository: Repository) -> str | None:
    """The object that HEAD names; None if its branch has no commit yet."""
    name = b"HEAD"
    for _ in range(MAX_LINKS):
        if not is_beneath(name):
            return None
        where = repository.git if name == b"HEAD" else repository.common
        text = (_read(where, name) or _find_packed_ref(repository.common, name)).strip()
        if match := _OBJECT_ID.fullmatch(text):
            return match[0].decode()
        if not text.startswith(b"ref:"):
            return None
        name = text.removeprefix(b"ref:").strip()
        if not name.startswith(b"refs/"):
            return None
    return None


def _find_packed_ref(common: Root, name: bytes) -> bytes:
    content = _read(common, b"packed-refs", MAX_FILE_BYTES) or b""
    match = re.search(rb"^([0-9a-f]+) " + re.escape(name) + rb"$", content, re.MULTILINE)
    return match[1] if match else b""


def _link_objects(common: Root, objects: Path) -> None:
    """Makes ``objects`` show the packs and loose objects of ``common``.

    Raises SourceRefused if it borrows objects or has a link among them.
    """
    if (_read(common, b"objects/info/alternates") or b"").strip():
        raise SourceRefused(
            f"{common.path} borrows objects of other repositories, which are not read: run"
            " `git repack -a -d` in it and remove its objects/info/alternates."
        )
    objects.mkdir()
    theirs = common.for_children
    for name in _names(common, b"objects"):
        if not _OBJECT_FOLDER.fullmatch(name):
            continue
        with _scan(common, b"objects/" + name) as entries:
            link = next((entry for entry in entries if entry.is_symlink()), None)
        if link:
            raise SourceRefused(
                f"{common.path} has a link among its objects ({printable(link.name)}), which is not"
                " followed: clone the repository and give the clone."
            )
        (objects / name.decode()).symlink_to(f"{theirs}/objects/{name.decode()}")


def _names(root: Root, path: bytes) -> list[bytes]:
    with _scan(root, path) as entries:
        return [os.fsencode(entry.name) for entry in entries]


@contextlib.contextmanager
def _scan(root: Root, path: bytes) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a folder of a repository. Raises SourceRefused, also for a link."""
    try:
        descriptor = root.open_folder(path)
    except OSError as error:
        raise _unreadable(root, path, error) from error
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)


def _copy(source: Root, path: bytes, folder: Path) -> None:
    content = _read(source, path, MAX_FILE_BYTES)
    if content is not None:
        (folder / os.fsdecode(path)).write_bytes(content)


def _read(root: Root, path: bytes, limit: int = MAX_POINTER_BYTES) -> bytes | None:
    """The content of a file of a repository; None without the file. Raises SourceRefused."""
    try:
        with root.open_file(path) as file:
            content = file.read(limit + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(root, path, error) from error
    if len(content) > limit:
        raise SourceRefused(
            f"{root.path / os.fsdecode(path)} is larger than git writes it ({limit:,} bytes): clone"
            " the repository and give the clone."
        )
    return content


def _unreadable(root: Root, path: bytes, error: OSError) -> SourceRefused:
    return SourceRefused(
        f"{root.path / os.fsdecode(path)} cannot be read ({error.strerror}): clone the repository"
        " and give the clone."
    )
