"""Secrets that a sentence tells go, and sentences about secrets stay."""

import re

import pytest

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.redact import redact

TOLD = """The new password for the museum kiosk will be «Amphora!31».
pw «lighthouse42»
API key «5c0d7e19ab34f826» stops working in June.
Old password was «Harvest2019!», do not use it again.
Please remove secret «kT7pQ2wZ9mX4» from the wiki.
Master key «7b1e44d09fa2c3386e5d0b7f9a1c2e48» lies in the safe.
PLAIN_PIN=«730915»
Cookie: session=«c81fd0a2b7e94f6631aa0c5d»; path=/
PHPSESSID=«m4k8v2x0q6w1e9r3t5y7u2i8»
The passphrase is «marble falcon window thursday» for the archive.
passphrase = «old boats under grey morning clouds»
Sign in with curator / «Gallery88!»
The guest wifi password has been changed to «Tulip-Garden7»
use «Vx3!rTq8» as password for the test
credentials are nora:«N0raP4ss9»
The PIN of the cash box is «8064»
We rotated the access key from «Qm4zX81kLp07vB2n» to «Rm5zX82kLp17vB3n»
Das neue Passwort lautet «Garten#51»
La nueva contraseña es «Puerto77!»
"The password?" "It is «Sunny!Day9»"
temporary password («Start!7788») follows by letter
backup codes: «91ab-22cd», «47ef-90aa»
Door PIN: «5519»""".splitlines()

ABOUT = """The new password will be sent to visitors by mail.
Passwords have at least 14 characters and two digits.
The API key expires after 45 days.
Remove the secret scanner from the pipeline of v3.2.
The master key is rotated by the HSM in eu-central-1.
The passphrase is optional.
A passphrase must have at least six words.
The PIN has 6 digits.
The PIN is entered with 4 keys.
Connect pin 4821 to ground.
Sign in with OAuth2 or Microsoft365.
Access tokens are signed with RS256.
Password reset mails take 12min, see SHOP-2041.
Is the password for MySQL8 that of Postgres15?
The password was changed on 2025-02-11.
Cookie: strictly necessary cookies only.
The key is that guests return within 30 days.
The primary key is visitor_id2.
The secret of the museum was patience.
Exit code: 1271
password = generate(salt, 4096)""".splitlines()


@pytest.mark.parametrize("said", TOLD)
def test_what_a_sentence_tells_goes(said: str) -> None:
    text = re.sub("[«»]", "", said) + "\n"
    left = redact(text, lower(text), "notes.md", "markdown")[0]
    assert not [secret for secret in re.findall("«(.*?)»", said) if secret in left]


@pytest.mark.parametrize("said", ABOUT)
def test_a_sentence_about_secrets_stays(said: str) -> None:
    assert redact(f"{said}\n", lower(f"{said}\n"), "notes.md", "markdown")[0] == f"{said}\n"
