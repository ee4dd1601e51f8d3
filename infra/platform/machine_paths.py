"""Hide where this machine keeps its files: a message for others names a file, never its folders.

An error of the operating system, of git or of a parser quotes paths. They help who runs the service
and tell a stranger its account, its layout and what else is installed.
"""

from __future__ import annotations

import re
import tempfile
from functools import lru_cache
from pathlib import Path

from infra.platform.settings import Settings

HIDDEN = "…"
# Where programs and accounts have their files; whatever else is a path of ours is named by callers.
USUAL = (
    *("/home", "/root", "/var", "/tmp", "/usr", "/opt", "/srv", "/mnt", "/media", "/run", "/proc"),
    *("/dev", "/data", "/app", "/etc", "/lib", "/Users", "/Library", "/private", "/workspace"),
)
_ENDS = r"[^\s'\"`<>(){}\[\],;:…]*"


def hide_paths(text: str, *places: Path) -> str:
    """``text`` with nothing of a path but its last name; ``places`` are folders of ours."""
    return _pattern(places).sub(_last_name, text) if "/" in text else text


def hide_paths_of(settings: Settings, text: str) -> str:
    """The same, wherever the folders of this installation are."""
    files = (settings.vault_key_file, settings.stream_key_file, settings.oidc_client_secret_file)
    folders = [each.parent for each in (settings.models_file, *files) if each is not None]
    return hide_paths(text, settings.home, settings.cache, *folders)


def _last_name(found: re.Match[str]) -> str:
    path = found[0].rstrip("/.")
    name = path.rpartition("/")[2]
    ending = found[0][len(path) :].lstrip("/")
    return f"{HIDDEN}/{name}{ending}" if found["rest"].strip("/.") else f"{HIDDEN}{ending}"


@lru_cache(maxsize=16)
def _pattern(places: tuple[Path, ...]) -> re.Pattern[str]:
    own = (*places, Path.home(), Path(tempfile.gettempdir()), Path(__file__).resolve().parents[2])
    known = {str(each) for each in own if len(each.parts) > 1} | set(USUAL)
    # The longest first; what stands in an address or behind a name is no path of this machine.
    named = "|".join(re.escape(each) for each in sorted(known, key=len, reverse=True))
    return re.compile(rf"(?<![\w./~@-])(?:file://)?(?:{named})(?![\w-]|\.\w)(?P<rest>{_ENDS})")
