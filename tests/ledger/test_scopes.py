"""Equal values, names with numbers, limits and other scopes are no contradiction; true ones are.

The inputs are written for these tests. Each pair is read in both orders.
"""

from __future__ import annotations

import pytest

from streams.ledger.opposition.opposition import opposition


def contradict(one: str, other: str) -> list[bool]:
    return [opposition(*pair).is_contradiction for pair in ((one, other), (other, one))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The retention period is two weeks.", "The retention period is 14 days."),
        ("Sessions expire after 15 minutes.", "Sessions expire after 900 seconds."),
        ("Sessions expire after a quarter of an hour.", "Sessions expire after 15 minutes."),
        ("The heap is limited to 2 GB.", "The heap is limited to 2048 MB."),
        ("The heap is limited to 2 GiB.", "The heap is limited to 2048 MiB."),
        ("At most 1500 jobs run at once.", "At most 1.5k jobs run at once."),
        ("The import handles 2.000.000 rows.", "The import handles two million rows."),
        ("Der Export dauert höchstens 10 Minuten.", "Der Export dauert höchstens zehn Minuten."),
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt dreißig Tage."),
        ("Die Gebühr beträgt 1.250,50 €.", "Die Gebühr beträgt EUR 1250,50."),
        ("The fee is $1,250.50.", "The fee is 1250.50 USD."),
        ("Discount is 12.5 percent.", "Discount is 12.5%."),
        ("Support ends on 31 December 2026.", "Support ends on 2026-12-31."),
        ("Support ends on Dec 31, 2026.", "Support ends on 31.12.2026."),
        ("The meeting is at 2 pm.", "The meeting is at 14:00."),
        ("Maintenance starts at 22:00 UTC.", "Maintenance starts at 23:00 CET."),
        ("The store is MongoDB.", "The store is Mongo."),
        ("We deploy to Kubernetes.", "We deploy to k8s."),
        ("The frontend is written in JavaScript.", "The frontend is written in JS."),
        ("Logs are rotated daily.", "Logs are rotated every 24 hours."),
        ("The limit is 100 requests per second.", "The limit is 6000 requests per minute."),
        ("Backups run once a day.", "Backups run daily."),
        ("The bandwidth is 1 Gbps.", "The bandwidth is 1000 Mbps."),
        ("The mask is 0xFF.", "The mask is 255."),
        ("Node 1 holds the primary copy.", "Node 2 holds the replica."),
        ("Node 1 is the leader.", "Node 2 is not the leader."),
        ("Step 3 requires approval.", "Step 4 does not require approval."),
        ("The latency must not exceed 200 ms.", "The latency must be at most 200 ms."),
        ("Backups are encrypted with AES-256.", "Backups are encrypted with AES 256."),
        ("Temperature must stay below 70 °C.", "Temperature must stay under 70 °C."),
        ("The launch is on 03/04/2025.", "The launch is on 4 March 2025."),
        ("The launch is in March 2025.", "The launch is on 2025-03-14."),
        ("Offices close at midnight.", "Offices close at 00:00."),
        ("Retention: 1 year", "Retention: 365 days"),
        ("cache_ttl = 3600", "cache_ttl = 3600s"),
        ("Max upload: 10MB", "Max upload: 10 MB"),
        ("The service must start within 30 seconds.", "The service must start in half a minute."),
        ("The job runs every 5 minutes.", "The job runs twelve times an hour."),
        ("The cluster has a dozen nodes.", "The cluster has 12 nodes."),
    ],
)
def test_the_same_value_in_another_writing_is_no_contradiction(one: str, other: str):
    assert contradict(one, other) == [False, False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Node 1 holds the primary copy.", "Node 2 holds the replica."),
        ("Node 1 is the leader.", "Node 2 is not the leader."),
        ("Step 3 requires approval.", "Step 4 does not require approval."),
        ("Section 2 describes the API.", "Section 3 describes the CLI."),
        ("Messages follow RFC 822.", "Dates follow RFC 3339."),
        ("Phase 1 covers billing.", "Phase 2 covers invoicing."),
        ("Port 80 is open.", "Port 443 is closed."),
        ("Sprint 12 delivered the login.", "Sprint 13 delivered the logout."),
        ("The first attempt waits 1 s.", "The second attempt waits 2 s."),
        (
            "Level 1 tickets are answered within 4 hours.",
            "Level 2 tickets are answered within 8 hours.",
        ),
    ],
)
def test_numbers_that_name_things_are_no_values(one: str, other: str):
    assert contradict(one, other) == [False, False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Passwords need at least 8 characters.", "A password of 12 characters is accepted."),
        ("The cluster needs at least 3 nodes.", "The cluster has 5 nodes."),
        ("The batch size is between 10 and 100.", "The batch size is 50."),
        ("Requests take up to 5 s.", "Requests take at least 1 s."),
        ("Response takes about 2 s.", "Response takes 2.1 s."),
    ],
)
def test_limits_that_can_both_be_kept_do_not_conflict(one: str, other: str):
    assert contradict(one, other) == [False, False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "On Linux the agent runs as a service.",
            "On Windows the agent does not run as a service.",
        ),
        (
            "For EU customers data is stored for 30 days.",
            "For US customers data is stored for 90 days.",
        ),
        ("In staging, mails are not sent.", "In production, mails are sent."),
        (
            "When the cache is warm, reads do not hit the database.",
            "When the cache is cold, reads hit the database.",
        ),
        (
            "If the token is expired, the call is rejected.",
            "If the token is valid, the call is accepted.",
        ),
        ("Free users cannot export reports.", "Paying users can export reports."),
        ("The read API is public.", "The write API is not public."),
        ("Uploads are scanned for viruses.", "Downloads are not scanned for viruses."),
        ("The client retries on timeouts.", "The client does not retry on validation errors."),
        (
            "Before the migration, orders live in MySQL.",
            "After the migration, orders live in PostgreSQL.",
        ),
        ("In 2023 the team used Jenkins.", "In 2024 the team used GitLab."),
        ("Since March 2024 we use Kafka.", "Since May 2025 we use Pulsar."),
        ("Version 2.1 supports SSO.", "Version 2.0 does not support SSO."),
        ("The feature is disabled by default.", "The feature is not enabled by default."),
        ("The input is invalid.", "The input is not valid."),
        ("Confirmation is optional.", "Confirmation is not required."),
        ("Users do not have to confirm the mail.", "Users may confirm the mail."),
        ("Some calls are cached.", "Some calls are not cached."),
        ("Do not fail to rotate the keys.", "Rotate the keys."),
        ("Never forget to close the file.", "The file must be closed."),
        ("The report must be ready in 20 s.", "The report has to be ready in 20 s."),
        ("Guests are not allowed to upload files.", "It is forbidden for guests to upload files."),
        ("Data of Acme is stored in Frankfurt.", "Data of Globex is stored in Dublin."),
        ("The mobile app works offline.", "The web app does not work offline."),
        ("Inbound traffic is encrypted.", "Outbound traffic is not encrypted."),
        ("The server sends JSON.", "The client sends XML."),
        ("Orders above 100 EUR ship free.", "Orders below 100 EUR do not ship free."),
        ("Only admins can delete users.", "Members cannot delete users."),
        ("Should we use Redis?", "We do not use Redis."),
        ("The worker restarts after 3 failures.", "The scheduler restarts after 5 failures."),
        ("Anna owns the billing service.", "Ben owns the search service."),
        ("The default page size is 50.", "The maximum page size is 200."),
        ("The minimum is 5.", "The maximum is 10."),
        ("The API must not return passwords.", "The API must return the user's name."),
        ("The old API used SOAP.", "The new API uses REST."),
        ("Requests from the office network do not need a VPN.", "Requests from home need a VPN."),
        ("The price is 5 EUR per user.", "The price is 50 EUR per team."),
        ("Python 3.8 is not supported.", "Python 3.9 is supported."),
        ("The test suite takes 10 minutes.", "The build takes 5 minutes."),
        (
            "Customers may return goods within 30 days.",
            "Customers may not return goods after 30 days.",
        ),
    ],
)
def test_another_subject_condition_scope_or_wording_is_no_contradiction(one: str, other: str):
    assert contradict(one, other) == [False, False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The retention period is two weeks.", "The retention period is 15 days."),
        ("Sessions expire after 15 minutes.", "Sessions expire after 20 minutes."),
        ("The heap is limited to 2 GB.", "The heap is limited to 4096 MB."),
        ("At most 1500 jobs run at once.", "At most 2k jobs run at once."),
        ("The import handles two million rows.", "The import handles 3,000,000 rows."),
        ("Der Export dauert höchstens 10 Minuten.", "Der Export dauert höchstens zwanzig Minuten."),
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt sechzig Tage."),
        ("The fee is $1,250.50.", "The fee is 1300 USD."),
        ("The fee is 20 EUR.", "The fee is 20 USD."),
        ("Discount is 12.5 percent.", "Discount is 15%."),
        ("Support ends on 31 December 2026.", "Support ends on 2027-12-31."),
        ("The meeting is at 2 pm.", "The meeting is at 15:00."),
        ("Maintenance starts at 22:00 UTC.", "Maintenance starts at 22:00 CET."),
        ("The store is MongoDB.", "The store is Postgres."),
        ("Logs are rotated daily.", "Logs are rotated every 12 hours."),
        ("The limit is 100 requests per second.", "The limit is 100 requests per minute."),
        ("The mask is 0xFF.", "The mask is 15."),
        ("The server listens on port 8080.", "The server listens on port 9090."),
        ("The agent requires Python 3.8.", "The agent requires Python 3.10."),
        ("The cluster needs at least 3 nodes.", "The cluster has 2 nodes."),
        ("The batch size is between 10 and 100.", "The batch size is 500."),
        ("Response takes at most 2 s.", "Response takes at least 3 s."),
        (
            "On Windows the agent runs as a service.",
            "On Windows the agent does not run as a service.",
        ),
        ("In production, mails are sent.", "In production, mails are not sent."),
        (
            "If the token is expired, the call is rejected.",
            "If the token is expired, the call is accepted.",
        ),
        ("Free users can export reports.", "Free users cannot export reports."),
        ("The read API is public.", "The read API is private."),
        ("Uploads are scanned for viruses.", "Uploads are not scanned for viruses."),
        ("The client retries on timeouts.", "The client does not retry on timeouts."),
        ("Version 2.1 supports SSO.", "Version 2.1 does not support SSO."),
        ("The feature is disabled by default.", "The feature is enabled by default."),
        ("Confirmation is optional.", "Confirmation is mandatory."),
        ("Guests may upload files.", "Guests are not allowed to upload files."),
        ("Guests may upload files.", "Guests must not upload files."),
        ("The latency exceeds 200 ms.", "The latency does not exceed 200 ms."),
        ("Data of Acme is stored in Frankfurt.", "Data of Acme is not stored in Frankfurt."),
        ("The mobile app works offline.", "The mobile app does not work offline."),
        ("Backups are kept for 12 months.", "Backups are kept for two years."),
        ("Data must be encrypted at rest.", "Data does not need to be encrypted at rest."),
        ("The service uses Kafka.", "The service uses RabbitMQ."),
        ("Sessions are kept in Redis.", "Sessions are not stored in Redis."),
        ("All calls are logged.", "Not all calls are logged."),
        ("The queue is always empty at night.", "The queue is never empty at night."),
        ("Every request needs a token.", "Requests do not need a token."),
        ("Customers can cancel within 14 days.", "Customers can cancel within 30 days."),
        (
            "Accounts are locked after 3 failed attempts.",
            "Accounts are locked after five failed attempts.",
        ),
        ("The SLA is 99.9 %.", "The SLA is 99.5 %."),
        ("The launch is on 1 March 2025.", "The launch is on 2 March 2025."),
        ("The launch is in March 2025.", "The launch is on 2025-04-14."),
        ("The price is 5 EUR per user.", "The price is 7 EUR per user."),
        ("The cluster has a dozen nodes.", "The cluster has 10 nodes."),
        ("The API returns 404 for unknown ids.", "The API returns 400 for unknown ids."),
        ("Anna owns the billing service.", "Anna does not own the billing service."),
        ("The pool holds 10 connections.", "The connection pool holds 20 connections."),
        ("We will support Internet Explorer.", "We will not support Internet Explorer."),
        ("Logs must contain the request id.", "Logs must not contain the request id."),
        ("The import is synchronous.", "The import is asynchronous."),
        ("Admins can delete projects.", "Admins cannot delete projects."),
        ("Requests without a token are rejected.", "Requests without a token are accepted."),
        ("Requests without a token are rejected.", "Requests without a token are not rejected."),
        ("The worker must run as root.", "The worker must not run as root."),
        ("Retention: 1 year", "Retention: 90 days"),
        ("cache_ttl = 3600", "cache_ttl = 7200"),
        ("Max upload: 10MB", "Max upload: 20 MB"),
        ("The job runs every 5 minutes.", "The job runs every ten minutes."),
        ("The team has two testers.", "The team has 3 testers."),
        ("Messages are encoded in UTF-8.", "Messages are encoded in UTF-16."),
        ("Deploys happen on Mondays.", "Deploys happen on Fridays."),
        ("Guests are forbidden to upload files.", "Guests may upload files."),
    ],
)
def test_one_difference_is_a_contradiction(one: str, other: str):
    assert contradict(one, other) == [True, True]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The importer reads Dutch.", "The importer reads Polish."),
        ("The store supports English.", "The store supports German."),
        ("The store includes JSON.", "The store includes XML."),
    ],
)
def test_two_objects_of_a_verb_that_takes_many_do_not_conflict(one: str, other: str):
    assert contradict(one, other) == [False, False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-03-01: first draft", "2025-04-02: first draft"),
        ("3/1/2024: first draft", "First draft: 2025-04-02"),
        ("The Orchard Group. 3 May 2024.", "The Orchard Group. 4 June 2025."),
        ("Report on orders, version 0.3", "Report on orders, version 1.0"),
    ],
)
def test_a_date_or_a_version_that_only_heads_a_text_is_no_value(one: str, other: str):
    assert contradict(one, other) == [False, False]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("Der Dienst speichert Adressen.", "Der Dienst speichert keine Adressen.", True),
        ("Die Frist beträgt 14 Tage.", "Die Frist beträgt einen Monat.", True),
        ("Knoten 1 hält die Kopie.", "Knoten 2 hält keine Kopie.", False),
        ("Admins dürfen Projekte löschen.", "Gäste dürfen Projekte nicht löschen.", False),
    ],
)
def test_german_is_read_too(one: str, other: str, found: bool):
    assert contradict(one, other) == [found, found]


def test_what_is_told_of_an_occasion_is_left_to_the_weights():
    assert contradict("A man in a hat is reading a book.", "The man is not reading.")[0]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (
            "The shop service calls the stock service.",
            "The stock service does not call the shop service.",
            False,
        ),
        (
            "Files move from the inbox to the archive.",
            "Files do not move from the archive to the inbox.",
            False,
        ),
        (
            "The shop service calls the stock service.",
            "The shop service does not call the stock service.",
            True,
        ),
        ("The store supports paging.", "Paging is not supported by the store.", True),
        ("Alarms are sent in production.", "In production alarms are not sent.", True),
    ],
)
def test_who_does_what_to_whom_counts(one: str, other: str, found: bool):
    assert contradict(one, other) == [found, found]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("We plan to support LDAP.", "We do not support LDAP.", False),
        ("We will support LDAP in 2027.", "We do not support LDAP.", False),
        ("We could cache the prices.", "We do not cache the prices.", False),
        ("We will support LDAP.", "We will not support LDAP.", True),
        ("The move is planned for Q3 2026.", "The move is planned for Q4 2026.", True),
        ("The move is planned for Q3 2026.", "The move is planned for August 2026.", False),
    ],
)
def test_what_is_planned_does_not_contradict_today(one: str, other: str, found: bool):
    assert contradict(one, other) == [found, found]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("Only editors may publish pages.", "Readers may publish pages.", True),
        ("Only editors may publish pages.", "Editors may publish pages.", False),
        ("Only editors may publish pages.", "Readers may not publish pages.", False),
    ],
)
def test_what_only_some_may_contradicts_that_others_may(one: str, other: str, found: bool):
    assert contradict(one, other) == [found, found]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("The shop requires Postgres 12.", "The shop requires PostgreSQL 14.", True),
        ("It has 5 threads and 10 queues.", "It has 6 threads and 20 queues.", True),
        ("The queue is single-threaded.", "The queue is multi-threaded.", True),
        ("One editor must approve.", "Two editors must approve.", True),
        ("Parcel 1001 was sent.", "Parcel 1002 was not sent.", False),
        ("The port is 443.", "The port is 443/tcp.", False),
        ("Customer A gets a rebate.", "Customer B gets no rebate.", False),
        ("The EU shop keeps addresses.", "The US shop does not keep addresses.", False),
        ("Calls over HTTP are rejected.", "Calls over HTTPS are accepted.", False),
        ("Jobs over 100 MB end in 2 h.", "Jobs over 50 MB end in 1 h.", False),
        ("The shop requires Postgres 12.", "The shop requires PostgreSQL 12.", False),
        ("The agent supports Windows 10.", "The agent supports Windows 11.", False),
        ("The address is 10.0.0.5.", "The address is 10.0.0.6.", True),
        ("Host 10.0.0.5 runs Linux.", "Host 10.0.0.6 runs Windows.", False),
        ("The flag is on for testers.", "The flag is off for testers.", True),
        ("Uploads up to 5 MB are free.", "Uploads over 5 MB are not free.", False),
    ],
)
def test_a_version_an_address_or_a_state_can_be_a_value(one: str, other: str, found: bool):
    assert contradict(one, other) == [found, found]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("A page without a title is rejected.", "A page with a title is accepted.", False),
        ("A page without a title is rejected.", "A page without a title is accepted.", True),
        ("There is no limit for editors.", "There is a limit for readers.", False),
        ("There is no limit for editors.", "There is a limit for editors.", True),
        ("An order may be paid by card.", "An order need not be paid by card.", False),
        ("A token is valid for one hour.", "A refresh token is valid for 30 days.", False),
    ],
)
def test_a_rule_that_opens_with_an_indefinite_word_is_held_to_one_difference(
    one: str, other: str, found: bool
):
    assert contradict(one, other) == [found, found]
