"""Why a command was not run. Nothing is ever run without walls instead."""

from __future__ import annotations

from infra.platform.errors import Conflict, Invalid


class WallsMissing(Conflict):
    """This machine has neither bubblewrap nor a kernel with Landlock that can be used."""

    code = "walls_missing"


class WallsBroken(Conflict):
    """The walls could not be built, or a check of them has shown a hole."""

    code = "walls_broken"


class WorkspaceUnfit(Invalid):
    """The folder cannot be a workspace."""

    code = "workspace_unfit"
