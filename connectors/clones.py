"""Fetches repositories by address into bare clones of ours.

A clone is read from its objects. There is no checkout, so no filter, link or name of somebody else
reaches the file system. The clone's configuration stays empty, so a password in an address is not
stored. Decided against: shallow or partial clones (author dates need the history) and an API client
per host (git reaches all of them).

A fetch uses the configuration of the person who runs it (proxies, credentials) and no other. A
repository on this machine is fetched through a git directory of ours, so that its configuration is
not used on the far side either.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from connectors.connector import Listing, SourceUnavailable, UnknownSource, printable
from connectors.git import PROTOCOLS, GitDirectory, list_commit, run_git
from connectors.repositories import is_git_folder, open_view
from connectors.transport import Secret
from infra.platform.addresses import is_well_formed, without_credentials

FETCH_TIMEOUT_S = 1800
HEAD_REF = "refs/cairn/head"
_SCP_LIKE = re.compile(r"^[\w.+-]+@[\w.-]+:(?!//).+")


def is_git_url(spec: str) -> bool:
    """Whether ``spec`` is meant as a repository's address; it may still be refused."""
    return "://" in spec or "::" in spec or bool(_SCP_LIKE.match(spec)) or spec.endswith(".git")


def check_url(url: str) -> str:
    """Returns ``url`` if its protocol is allowed and it is no option. Raises UnknownSource."""
    scp_like = bool(_SCP_LIKE.match(url)) and url.count("@") == 1 and url.isprintable()
    scheme = urlsplit(url).scheme if is_well_formed(url) else "ssh" if scp_like else ""
    remote_helper = "::" in url.partition("/")[0]
    if url.startswith("-") or remote_helper or scheme not in PROTOCOLS:
        raise UnknownSource(
            f"{without_credentials(printable(url))!r} is no address git may fetch from: use one of"
            f" {', '.join(f'{name}://' for name in PROTOCOLS)} or user@host:path, without a query,"
            " and write %40 for an @ and %2F for a / in a name, password or path."
        )
    return url


def root_of_url(url: str) -> str:
    """The repository's name; on GitHub with its owner, however the address is written.

    Raises UnknownSource for an address that may not be fetched: its name could be a password.
    """
    url = check_url(url)
    path = url.partition("://")[2].partition("/")[2] if "://" in url else url.partition(":")[2]
    parts = [part for part in path.split("/") if part and part != ".git"]
    name = parts[-1].removesuffix(".git") if parts else ""
    on_github = re.match(r"^(https://|ssh://)?([^@/]*@)?(www\.)?github\.com[/:]", url)
    return printable(
        f"{parts[0]}/{name}" if on_github and len(parts) == 2 else name or "repository"
    )


class GitUrl:
    """A remote repository at the head of its default branch. Its clone is in ``clones``."""

    def __init__(
        self,
        url: str,
        root: str,
        clones: Path,
        say: Callable[[str], None],
        token: Secret | None = None,
    ) -> None:
        self.url = check_url(url)
        self.root = root
        known_as = without_credentials(url)
        name = re.sub(r"[^\w.-]+", "-", root_of_url(url))[:60]
        self.folder = clones / f"{name}-{hashlib.sha256(known_as.encode()).hexdigest()[:12]}.git"
        self._say = say
        self._known_as = known_as
        self._token = token

    @property
    def clone(self) -> GitDirectory:
        return GitDirectory(self.folder)

    def list(self) -> Listing:
        self.fetch()
        return list_commit(self.clone, self.root, HEAD_REF)

    def fetch(self) -> None:
        """Fetches the default branch with its whole history. Raises SourceUnavailable."""
        self._say(f"Fetching {self._known_as}…")
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(f"{self.folder}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two commands may fetch the same repository
            if urlsplit(self.url).scheme != "file":
                self._fetch_from(self.url)
                return
            with open_view(_repository_at(self.url)) as view:
                self._fetch_from(str(view.directory.folder), view.object_format)

    def _fetch_from(self, url: str, object_format: str = "sha1") -> None:
        named = f"--object-format={object_format}"
        run_git(self.clone, "init", "--quiet", "--bare", "--template=", named)
        run_git(
            self.clone, "config", "core.hooksPath", "/dev/null"
        )  # not even the user's own hooks
        run_git(
            self.clone,
            *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--force"),
            *("--", url, f"+HEAD:{HEAD_REF}"),
            timeout_s=FETCH_TIMEOUT_S,
            remote=self._known_as,
            settings=token_settings(self.url, self._token),
        )


def _repository_at(url: str) -> Path:
    """The repository that a file:// address names, with the endings that git tries.

    Raises SourceUnavailable.
    """
    path = unquote(urlsplit(url).path)
    for ending in ("", ".git"):
        place = Path(path + ending)
        if is_git_folder(place) or (place / ".git").exists():
            return place
    raise SourceUnavailable(f"{printable(url)} is not a git repository: check the path.")


def token_settings(url: str, token: Secret | None) -> dict[str, str]:
    """Environment variables that let git fetch with a token: over TLS, from this host only."""
    parts = urlsplit(url)
    if token is None or parts.scheme != "https":
        return {}
    credentials = base64.b64encode(f"x-access-token:{token.reveal()}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"http.https://{parts.netloc}/.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {credentials}",
        "GIT_CONFIG_KEY_1": "http.followRedirects",
        "GIT_CONFIG_VALUE_1": "false",
    }
