# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Features."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection


class Features(Connection):
    def create_feature(
        self, project: str, body: models.features.NewFeature, *, key: str | None = None
    ) -> models.shared.Item:
        """Make a feature in your own words; plans follow, and no later run overwrites it."""
        return self._write(
            models.shared.Item,
            "POST",
            "/v1/projects/{project}/features",
            at={"project": project},
            key=key,
            body=body,
        )

    def update_feature(
        self,
        project: str,
        feature_id: str,
        body: models.features.FeatureUpdate,
        *,
        key: str | None = None,
    ) -> models.shared.Item:
        """Change a feature or its priority; what is left out follows the rules."""
        return self._write(
            models.shared.Item,
            "PATCH",
            "/v1/projects/{project}/features/{feature_id}",
            at={"project": project, "feature_id": feature_id},
            key=key,
            body=body,
        )

    def delete_feature(
        self, project: str, feature_id: str, *, expected_version: int, key: str | None = None
    ) -> None:
        """Delete a feature with the tasks that were cut from it; it does not come again."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/features/{feature_id}",
            at={"project": project, "feature_id": feature_id},
            query={"expected_version": expected_version},
            key=key,
        )
