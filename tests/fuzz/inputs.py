"""What each target is fed: sound in part, so that it gets past the first check."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import struct
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.connectors.hostile import (
    CENTRAL,
    END,
    ENDING,
    LOCAL,
    TARS,
    ZIPS,
    a_file,
    a_long_name,
    header,
    pack,
    patch,
    pax,
    sparse_of_old,
)
from tests.connectors.stand_ins.jira import JiraServer
from tests.connectors.test_exports import CHANNELS, DAYS, USERS
from tests.connectors.webhooks.senders import (
    Sent,
    a_message,
    an_issue,
    from_bitbucket,
    from_github,
    from_jira,
    mac,
)
from tests.fuzz.mutation import NUMBERS, damaged, grown, written


@dataclass(frozen=True)
class Input:
    """One file for a target; ``suffix`` ends its name."""

    suffix: str
    content: bytes


@dataclass(frozen=True)
class World:
    """Where the inputs are read. ``secret`` is a file outside of every root, ``program`` one that
    must not run; ``ran`` is there when it did.
    """

    folder: Path

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    @property
    def secret(self) -> Path:
        return self.outside / "secret.md"

    @property
    def program(self) -> Path:
        return self.outside / "program"

    @property
    def ran(self) -> Path:
        return self.outside / "ran"


def a_tar(chance: Random, world: World) -> Input:
    names = _names(world)
    parts: list[bytes] = []
    for _ in range(chance.randrange(1, 6)):
        name = chance.choice(names)
        fields = ("path", "linkpath", "size", "GNU.sparse.map", "GNU.sparse.major", "comment")
        kind = chance.choice((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE))
        parts += chance.choice(
            (
                [a_file(name[:90] or "a", chance.randbytes(9))],
                [a_long_name(name.encode("utf-8", "replace")), a_file("a")],
                [a_long_name(b"a") * chance.choice((1, 3, 900))],
                [pax({chance.choice(fields): name.encode("utf-8", "replace")}, b"x"), a_file("b")],
                [pax({chance.choice(fields): b"%d" % chance.choice(NUMBERS)}, b"xg"[:1])],
                [header("l", kind, link=name[:90]), header("m", tarfile.LNKTYPE, link="l")],
                [header("n", tarfile.REGTYPE, chance.choice(NUMBERS[:9]))],
                [sparse_of_old(chance.randrange(3), chance.random() < 0.5)],
                [chance.choice(list(TARS.values()))],
            )
        )
    whole = b"".join(parts)
    if chance.random() < 0.5:
        whole = damaged(whole, chance)
    if chance.random() < 0.5:
        whole = _summed(whole)
    how = chance.choice(("", "", "gz", "bz2", "xz"))
    content = pack(whole + END, how)
    if how and chance.random() < 0.3:
        content = damaged(content, chance)
    return Input(f".tar.{how}" if how else ".tar", content)


def a_zip(chance: Random, world: World) -> Input:
    if chance.random() < 0.3:
        return Input(".zip", damaged(chance.choice(list(ZIPS.values())), chance))
    names = _names(world)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        for name in chance.sample(names, chance.randrange(1, 5)):
            member = zipfile.ZipInfo(name or "empty")
            member.compress_type = chance.choice((0, 8, 12, 14))
            member.external_attr = chance.choice((0, 0o120777 << 16, 0o100644 << 16, 0xFFFFFFFF))
            member.extra = struct.pack("<HH", chance.choice((1, 0x7075)), 4) + chance.randbytes(4)
            out.writestr(member, chance.choice((b"", b"a" * 3, str(world.secret).encode() * 99)))
    content = made.getvalue()
    for _ in range(chance.randrange(3)):
        signature = chance.choice((LOCAL, CENTRAL, ENDING))
        form = chance.choice(("<H", "<L"))
        number = chance.choice(NUMBERS) & (0xFFFF if form == "<H" else 0xFFFFFFFF)
        content = patch(content, signature, chance.randrange(4, 18), form, number)
    return Input(".zip", damaged(content, chance) if chance.random() < 0.5 else content)


def an_index(chance: Random, world: World) -> Input:
    """An index of git whose sum is right, so that git believes it."""
    rows: list[bytes] = []
    names = sorted(
        {chance.choice(_names(world)).encode("utf-8", "replace") for _ in range(6)} | {b"a.md"}
    )
    for name in names:
        mode = chance.choice((0o100644, 0o100644, 0o120000, 0o160000, 0o40000, 0o777))
        stage = chance.choice((0, 0, 0, 1, 2)) << 12
        times = struct.pack(">6L", *(chance.choice((0, 1, 0xFFFFFFFF)) for _ in range(6)))
        row = times + struct.pack(">4L", mode, 0, 0, chance.choice((0, 5, 0xFFFFFFFF)))
        row += chance.randbytes(20) + struct.pack(">H", stage | min(len(name), 0xFFF)) + name
        rows.append(row + bytes(8 - len(row) % 8))
    count = chance.choice((len(rows), len(rows), len(rows) + 1, 0xFFFFFFFF))
    body = struct.pack(">4sLL", b"DIRC", chance.choice((2, 2, 2, 3, 4, 9)), count) + b"".join(rows)
    body += chance.choice(
        (b"", b"", b"link\0\0\0\0", b"TREE\0\0\0\x02\0-", b"FSMN\0\0\0\x04\0\0\0\1")
    )
    if chance.random() < 0.4:
        body = damaged(body, chance)
    return Input(".index", body + hashlib.sha1(body).digest())


def a_git_config(chance: Random, world: World) -> Input:
    """A configuration that names our program wherever git might start one."""
    program, given = world.program, chance.choice(("a", "a=b", "a=b", 'a"b', "a.b", "lfs"))
    quoted = given.replace('"', '\\"')
    menu = (
        f"[core]\n\tfsmonitor = {program}\n", f"[core]\n\tpager = {program}\n",
        f"[core]\n\thooksPath = {world.outside}\n", f"[core]\n\tsshCommand = {program}\n",
        f"[core]\n\teditor = {program}\n", f"[core]\n\talternateRefsCommand = {program}\n",
        f"[core]\n\tattributesFile = {world.secret}\n", f"[core]\n\tworktree = {world.outside}\n",
        f'[filter "{quoted}"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired\n',
        f'[filter "{quoted}"]\n\tprocess = {program}\n\trequired = true\n',
        f'[diff "{quoted}"]\n\tcommand = {program}\n\ttextconv = {program}\n',
        f'[merge "{quoted}"]\n\tdriver = {program}\n', f"[diff]\n\texternal = {program}\n",
        f"[credential]\n\thelper = !{program}\n", f"[alias]\n\tls-files = !{program}\n",
        f"[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n",
        f"[uploadpack]\n\tpackObjectsHook = {program}\n",
        f'[remote "origin"]\n\turl = ext::{program}\n\tpromisor = true\n',
        "[extensions]\n\tpartialClone = origin\n\tworktreeConfig = true\n",
        f"[include]\n\tpath = {world.outside}/more.config\n",
        f'[includeIf "gitdir:/"]\n\tpath = {world.outside}/more.config\n',
        f"[pager]\n\tlog = {program}\n\tdiff = {program}\n", "[core]\n\tbare = true\n",
        "[submodule]\n\trecurse = true\n[status]\n\tsubmoduleSummary = true\n",
        f"[trace2]\n\teventTarget = {world.ran}\n[core]\n\tquotePath = true\n",
        '[safe]\n\tdirectory = *\n[protocol "ext"]\n\tallow = always\n',
    )  # fmt: skip
    lines = "".join(chance.sample(menu, chance.randrange(1, 6)))
    lines += chance.choice((menu[8], menu[9], menu[10], ""))
    attributes = chance.choice(("filter", "filter", "diff", "merge", "text eol=crlf diff"))
    content = {
        "config": ("[core]\n\trepositoryformatversion = 0\n" + lines).encode().hex(),
        "attributes": f"* {attributes}={given}\n".encode().hex(),
    }
    if chance.random() < 0.3:
        content["config"] = damaged(bytes.fromhex(content["config"]), chance).hex()
    return Input(".json", json.dumps(content).encode())


def a_jira_export(chance: Random, world: World) -> Input:
    if chance.random() < 0.3:
        heads = ["Summary", "Issue key", "Created", "Updated", "Description", "Comment", "Labels"]
        chance.shuffle(heads)
        cells = ("SHOP-7", "01/Nov/26 9:14 AM", "2026-11-01 09:14", "a;b;c", '"', "x" * 9_000)
        rows = [",".join(heads)]
        rows += [
            ",".join(f'"{chance.choice(cells)}"' for _ in heads) for _ in range(chance.randrange(9))
        ]
        sound = "Summary,Issue key,Created,Updated\nA,SHOP-7,2026-11-01 09:14,2026-11-01 09:15\n"
        table = chance.choice(("\n".join(rows), sound, sound + '"' + "y" * 5_000_000))
        return Input(".csv", damaged(table.encode(), chance))
    server = JiraServer()
    key = server.open_issue("Exports", "The export *must* be resumable.")
    server.comment(key, "We will use a queue.")
    issues = copy.deepcopy(list(server.issues.values()))
    document = {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text"}]}]}
    if chance.random() < 0.5:
        issues[0]["fields"]["description"] = copy.deepcopy(document)
    text = written(grown(chance.choice([{"issues": issues}, issues]), chance), chance)
    raw = text.encode("utf-8", "surrogatepass")
    return Input(".json", damaged(raw, chance) if chance.random() < 0.3 else raw)


def a_slack_export(chance: Random, world: World) -> Input:
    trees: dict[str, Any] = {"users.json": USERS, "channels.json": CHANNELS}
    trees |= {f"shop/{day}.json": rows for day, rows in DAYS.items()}
    trees = copy.deepcopy(trees)
    for name in chance.sample(sorted(trees), chance.randrange(1, 3)):
        trees[name] = grown(trees[name], chance)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for name, tree in trees.items():
            raw = written(tree, chance).encode("utf-8", "surrogatepass")
            out.writestr(name, damaged(raw, chance) if chance.random() < 0.1 else raw)
    raw = made.getvalue()
    return Input(".zip", damaged(raw, chance) if chance.random() < 0.3 else raw)


def a_delivery(chance: Random, world: World) -> Input:
    """Mostly signed by who knows the secret: what is behind the signature must hold too."""
    issue = {"id": "10001", "key": "SHOP-7"}
    sent = chance.choice(
        (
            an_issue(),
            from_github("push", {"ref": "refs/heads/main", "commits": [], "after": "0" * 40}),
            from_jira({"webhookEvent": "jira:issue_updated", "issue": issue}),
            from_bitbucket("pullrequest:fulfilled", {"pullrequest": {"id": 3}}),
            a_message("We ship on Monday."),
            a_message("", subtype="message_changed", message={"user": "U2", "ts": "1.1"}),
        )
    )
    text = written(grown(json.loads(sent.body), chance), chance)
    body = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.3:
        body = damaged(body, chance)
    if chance.random() < 0.1:
        body = b"payload=" + body
        sent.headers["Content-Type"] = "application/x-www-form-urlencoded"
    if chance.random() < 0.9:
        _sign(sent, body)
    if chance.random() < 0.2:
        name = chance.choice(sorted(sent.headers))
        sent.headers[name] = chance.choice(("", "a" * 4_000, "sha256=", "v0=\u00e9", "-1", "1e99"))
    told = {"service": sent.service, "headers": sent.headers, "body": body.hex()}
    return Input(".json", json.dumps(told).encode())


TARGETS = {
    "tar": a_tar,
    "zip": a_zip,
    "git_index": an_index,
    "git_config": a_git_config,
    "jira_export": a_jira_export,
    "slack_export": a_slack_export,
    "webhook": a_delivery,
}


def _sign(sent: Sent, body: bytes) -> None:
    for name in sent.headers:
        if name in ("X-Hub-Signature", "X-Hub-Signature-256"):
            sent.headers[name] = f"sha256={mac(body)}"
        elif name == "X-Slack-Signature":
            stamp = sent.headers["X-Slack-Request-Timestamp"]
            sent.headers[name] = f"v0={mac(f'v0:{stamp}:'.encode() + body)}"


def _names(world: World) -> list[str]:
    return [
        "a.md", "b/c.md", "../outside/secret.md", "../../outside/secret.md", str(world.secret),
        ".git/secret.md", ".GIT/secret.md", "b/.git/config", "link/secret.md", "link", "", ".",
        "..", "a" * 5_000, "d/" * 1_500 + "e.md", "C:/x", "x\\..\\..\\y", "\x1b[2J", "\u202ea",
        "\udcff\udcfe".encode("utf-8", "surrogateescape").decode("latin-1"), "./b/../../x", "b//c",
        "a\nb", ".gitattributes", "/proc/self/environ", "a.md/b",
    ]  # fmt: skip


def _summed(whole: bytes) -> bytes:
    """Every block that looks like a header of a tar has the right sum."""
    raw = bytearray(whole)
    for at in range(0, len(raw) - tarfile.BLOCKSIZE + 1, tarfile.BLOCKSIZE):
        if raw[at + 257 : at + 262] == b"ustar":
            raw[at + 148 : at + 156] = b" " * 8
            raw[at + 148 : at + 156] = b"%06o\0 " % sum(raw[at : at + tarfile.BLOCKSIZE])
    return bytes(raw)
