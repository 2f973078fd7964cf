"""Django's PostgreSQL backend, which starts the embedded server when nothing answers on its socket."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from config.embedded.server import EmbeddedServer, ServerError


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL on the private socket: when connecting fails, start the server and try once more."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; raises ``OperationalError`` with the server's own words when it can not be started."""
        server: EmbeddedServer = settings.EMBEDDED_SERVER  # type: ignore[assignment]  # set wherever this is the engine
        try:
            if server.socket_is_ours():
                try:
                    return super().get_new_connection(conn_params)
                except self.Database.OperationalError:
                    server.ensure_running()
            else:
                server.ensure_running()
        except ServerError as error:
            raise self.Database.OperationalError(str(error)) from error
        return super().get_new_connection(conn_params)
