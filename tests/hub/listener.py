"""One HTTP/1.1 listener on the loopback that writes answers as they are given to it.

Contract: a thread for each connection, kept alive between requests; `stop` ends every one of them
and leaves no socket open. It knows nothing of repositories: `reply` makes the answers, `sent` is
told what was written of each file's body, `stopping` wakes what stalls.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, BinaryIO

from tests.hub.answers import Answer, End, Request

LOOPBACK = "127.0.0.1"
_POLL_S = 0.02
_JOIN_S = 10.0
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Listener(socketserver.ThreadingTCPServer):
    """A server under a name of its own ("hub" or "cdn")."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        name: str,
        reply: Callable[[Request], Answer],
        sent: Callable[[str, int], None],
        stopping: threading.Event,
    ) -> None:
        super().__init__((LOOPBACK, 0), _Connection)
        self.name = name
        self.reply = reply
        self.sent = sent
        self.stopping = stopping
        self.faults: list[BaseException] = []
        self._open: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()
        self._loop = threading.Thread(target=self.serve_forever, args=(_POLL_S,), daemon=True)

    @property
    def port(self) -> int:
        """The port that the system chose."""
        return int(self.server_address[1])

    def start(self) -> None:
        """Begin to accept connections."""
        self._loop.start()

    def stop(self) -> None:
        """End every connection and the listener itself, started or not."""
        if self._loop.is_alive():
            self.shutdown()
            self._loop.join()
        with self._lock:
            still_open = dict(self._open)
        for connection in still_open.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in still_open:
            thread.join(_JOIN_S)
            if thread.is_alive():
                self.faults.append(RuntimeError("a connection outlived the listener"))
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve one connection in a thread that `stop` knows of."""
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        with self._lock:
            self._open[thread] = request
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection to its end."""
        super().process_request_thread(request, client_address)
        with self._lock:
            del self._open[threading.current_thread()]

    def shutdown_request(self, request: Any) -> None:
        """Close without a FIN of its own: a connection that is to be reset sends none."""
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong here; a client that hung up is nothing wrong."""
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.faults.append(error)


class _Connection(BaseHTTPRequestHandler):
    """Reads requests and writes answers, byte for byte as they say."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def do_GET(self) -> None:
        """Answer one request."""
        headers = {name.lower(): text for name, text in self.headers.items()}
        request = Request(self.server.name, self.command, self.path, headers)
        answer = self.server.reply(request)
        if answer.status:
            self._write(answer)
        self._end(answer.end)

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: the hub keeps records."""

    def _write(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, text in answer.headers.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command == "HEAD":
            return
        with answer.body.open() as stream:
            self._write_body(answer, stream)

    def _write_body(self, answer: Answer, stream: BinaryIO) -> None:
        chunked = answer.headers.get("Transfer-Encoding") == "chunked"
        due = answer.body.length if answer.limit is None else min(answer.limit, answer.body.length)
        for done in range(0, due, answer.pace.size):
            count = min(answer.pace.size, due - done)
            self._write_piece(answer, stream, answer.body.start + done, count, chunked)
            if answer.pace.pause_s and self.server.stopping.wait(answer.pace.pause_s):
                return
        if chunked and answer.end is End.KEEP:
            self.wfile.write(b"0\r\n\r\n")

    def _write_piece(
        self, answer: Answer, stream: BinaryIO, start: int, count: int, chunked: bool
    ) -> None:
        """Write some of the body, counted first: who reads it may look at the count at once."""
        self.server.sent(answer.file, count)
        try:
            if chunked:
                self.wfile.write(b"%x\r\n" % count)
            self.connection.sendfile(stream, start, count)
            if chunked:
                self.wfile.write(b"\r\n")
        except OSError:
            self.server.sent(answer.file, -count)
            raise

    def _end(self, end: End) -> None:
        if end is End.STALL:
            self.server.stopping.wait()
        if end is End.RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        if end is not End.KEEP:
            self.close_connection = True
