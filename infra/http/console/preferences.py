"""How somebody likes their pages: the theme, and the keys that do something alone."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import EVERYONE
from infra.http.console.browser import set_cookie
from infra.http.console.page_context import (
    CHANGED_KEYS_COOKIE,
    KEYS_COOKIE,
    THEME_COOKIE,
    THEMES,
    PageContext,
)
from infra.http.console.pages import Pages
from infra.http.console.shortcuts import (
    SHORTCUTS,
    Shortcut,
    check_keys,
    choose_keys,
    write_changes,
)
from infra.platform.errors import Invalid

pages = Pages()
KEPT_S = 365 * 86_400
FIELD = "key-"  # before the name of a shortcut


@pages.show("/settings", *EVERYONE)
async def show_settings(visit: PageContext) -> Response:
    """The theme, and each shortcut with its key."""
    sent = {}
    if visit.problem:
        sent = {"shortcuts": _chosen(visit), "single_keys": _is_on(visit)}
    return visit.show("settings.html", themes=THEMES, **sent)


@pages.act("/settings/theme", *EVERYONE)
async def set_theme(visit: PageContext) -> Response:
    """Keep the theme in this browser."""
    theme = visit.form.get("theme", "")
    if theme not in THEMES:
        raise Invalid("There is no such theme.", code="invalid_request")
    response = visit.go("settings", told="Saved.")
    set_cookie(visit.request, response, THEME_COOKIE, theme, KEPT_S)
    return response


@pages.act("/settings/keys", *EVERYONE, page=show_settings)
async def set_keys(visit: PageContext) -> Response:
    """Keep in this browser whether single keys do something, and which; ``reset`` forgets that."""
    if visit.form.get("act") == "reset":
        chosen, is_on = list(SHORTCUTS), True
    else:
        chosen, is_on = _chosen(visit), _is_on(visit)
    check_keys(chosen)
    response = visit.go("settings", told="Saved.")
    set_cookie(visit.request, response, KEYS_COOKIE, "on" if is_on else "off", KEPT_S)
    set_cookie(visit.request, response, CHANGED_KEYS_COOKIE, write_changes(chosen), KEPT_S)
    return response


def _chosen(visit: PageContext) -> list[Shortcut]:
    """The shortcuts with the keys that the form says."""
    fields = visit.form.items()
    return choose_keys({name.removeprefix(FIELD): key for name, key in fields})


def _is_on(visit: PageContext) -> bool:
    return visit.form.get("single_keys") == "on"
