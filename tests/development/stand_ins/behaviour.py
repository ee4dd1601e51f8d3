"""What both stand-ins for command lines do alike: note how they were called, and misbehave.

They are programs of their own and import nothing of ours. ``STAND_IN`` names a folder with
``script.json``: a list with one behaviour for each run, the last of them for all that follow.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

FOLDER = Path(os.environ["STAND_IN"])


def begin(options, known):
    """The behaviour of this run. Options that the real program does not have end it with 2."""
    for option in options:
        if option.startswith("-") and option != "-" and option.split("=")[0] not in known:
            sys.exit(f"error: unknown option '{option}'")
    calls = FOLDER / "calls.jsonl"
    count = len(calls.read_text().splitlines()) if calls.exists() else 0
    given = sys.stdin.read()
    call = {"argv": options, "given": given, "environ": dict(os.environ), "cwd": os.getcwd()}
    with calls.open("a") as lines:
        lines.write(json.dumps(call) + "\n")
    script = json.loads((FOLDER / "script.json").read_text())
    return script[min(count, len(script) - 1)], given


def say(record):
    print(record if isinstance(record, str) else json.dumps(record), flush=True)


def misbehave(behaviour):
    """What takes no model to do."""
    if behaviour == "silent":
        time.sleep(600)
    if behaviour == "grandchildren":  # in a session of its own, and deaf
        code = "import os, signal, time; os.setsid(); signal.signal(15, signal.SIG_IGN); "
        child = subprocess.Popen([sys.executable, "-c", code + "time.sleep(600)"])
        (FOLDER / "grandchild").write_text(str(child.pid))
        time.sleep(600)
    if behaviour == "overloaded":
        sys.exit("API Error: 529 overloaded_error: Overloaded")
    if behaviour == "signed_out":
        sys.exit("Invalid API key · Please run /login")


def say_garbage():
    for line in (
        "",
        "no json {",
        "[1, 2]",
        '"text"',
        "null",
        '{"type": 7}',
        '{"type": "new.kind"}',
    ):
        say(line)
    say("[" * 100_000)
    text = '{"type": "text", "text": "\\ud800\\u0000"}'
    say(f'{{"type": "assistant", "message": {{"content": [{text}]}}}}')
    item = '{"type": "agent_message", "text": "\\ud800\\u0000"}'
    say(f'{{"type": "item.completed", "item": {item}}}')


class History:
    """What was said in a session: the programs keep it in files of the home folder."""

    def __init__(self, folder, session):
        self.is_new = session is None
        self.session = session or str(uuid.uuid4())
        self._file = Path(os.environ["HOME"]) / folder / f"{self.session}.jsonl"

    @property
    def is_there(self):
        return self.is_new or self._file.exists()

    def add(self, prompt):
        """The prompts until then."""
        earlier = self._file.read_text().splitlines() if self._file.exists() else []
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as lines:
            lines.write(json.dumps(prompt) + "\n")
        return [json.loads(line) for line in earlier]
