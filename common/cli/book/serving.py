"""A web server for the book, reachable only from this machine."""

from __future__ import annotations

import contextlib
import functools
import http.server
import sys
from pathlib import Path

from cli.terminal.console import say


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Does not print requests."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # the name in the base class
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Prints a traceback, except for a browser that leaves before it has the whole page."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def serve(folder: Path) -> None:
    """Serves a folder on a free port, which it prints, until Ctrl-C."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with Server(("127.0.0.1", 0), handler) as server:
        say(f"The book is at http://127.0.0.1:{server.server_port}/ until you press Ctrl-C.")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
        say("\nStopped.")
