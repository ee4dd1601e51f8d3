# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The client: a method for each operation of the API, of the operation's name."""

from __future__ import annotations

from infra.client.calls.administration import Administration
from infra.client.calls.artifacts import Artifacts
from infra.client.calls.chat import Chat
from infra.client.calls.connectors import Connectors
from infra.client.calls.decisions import Decisions
from infra.client.calls.features import Features
from infra.client.calls.ingestion import Ingestion
from infra.client.calls.jobs import Jobs
from infra.client.calls.ledger import Ledger
from infra.client.calls.models import Models
from infra.client.calls.onboarding import Onboarding
from infra.client.calls.operation import Operation
from infra.client.calls.planning import Planning
from infra.client.calls.projects import Projects
from infra.client.calls.quality import Quality
from infra.client.calls.runs import Runs
from infra.client.calls.schedules import Schedules
from infra.client.calls.sources import Sources
from infra.client.calls.sprints import Sprints
from infra.client.calls.streams import Streams
from infra.client.calls.tasks import Tasks
from infra.client.calls.tokens import Tokens
from infra.client.calls.views import Views
from infra.client.calls.webhooks import Webhooks


class Client(
    Administration,
    Artifacts,
    Chat,
    Connectors,
    Decisions,
    Features,
    Ingestion,
    Jobs,
    Ledger,
    Models,
    Onboarding,
    Operation,
    Planning,
    Projects,
    Quality,
    Runs,
    Schedules,
    Sources,
    Sprints,
    Streams,
    Tasks,
    Tokens,
    Views,
    Webhooks,
):
    """A service by its address and a token.

    Errors are those of `infra.platform.errors`, with the code of the service.
    """
