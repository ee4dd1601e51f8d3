"""Talk: an issue, a pull request, a review comment, a chat thread."""

from __future__ import annotations

from schemas.events.source import SourceType

TALK: dict[str, str | bytes] = {
    "issues/17": """\
# Orders are packed twice

State: open. Labels: bug, packing.

## ana (owner), 2025-06-02T09:14:00Z

After a restart the packing line packs open orders again. This must not happen.

Should the line ask for the state of an order first?

## tom (member), 2025-06-02T10:20:00Z

Yes, the Dispatcher has to mark an order before it is sent. We decided to add a state `sent`.

## ana (owner), 2025-06-03T08:00:00Z

Thanks, works for me.
""",
    "pulls/18": """\
# Mark orders as sent

State: merged.

## tom (member), 2025-06-04T11:00:00Z

Adds the state `sent`. An order in this state is never sent again, even after a restart.
""",
    "comments/18-1": """\
# Mark orders as sent

## ana (owner), 2025-06-04T12:00:00Z

This lock could block the Intake when the database is slow. Please use a timeout of 2 seconds.
""",
    "shop/2025-06-02": """\
# #shop, 2025-06-02

## ana (owner), 2025-06-02T09:14:00Z

Should we move the confirmations to a queue?

## tom (member), 2025-06-02T09:20:00Z

Yes. The mail server is down every second night.

## ana (owner), 2025-06-02T09:31:00Z

Then we go with a queue. Tom sets it up this week.

## tom (member), 2025-06-02T11:40:00Z

My number is +43 660 1234567 if it fails, mail tom.okoye@example.org, card 4111 1111 1111 1111.
""",
}
TYPES: dict[str, SourceType] = {
    "issues/17": "issue",
    "pulls/18": "pull_request",
    "comments/18-1": "review_comment",
    "shop/2025-06-02": "chat_thread",
}  # of sources whose path does not tell their type
