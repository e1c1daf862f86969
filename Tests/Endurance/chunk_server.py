"""A server for chunks as Memfault's is (facts device-manager.md section 7.4), on the loopback, that writes down every request and answers as it is told.

What it knows afterwards: which chunks came in which request, in which order, and which of its answers may never have been read because the station was killed.
"""
from __future__ import annotations

import dataclasses
import http.server
import re
import socket
import threading
import time

PATH = re.compile(r'/api/v0/chunks/([\w-]+)')
PART = re.compile(rb'Content-Type: application/octet-stream\r\nContent-Length: (\d+)\r\n\r\n')
MOST = 1 << 20           # bytes of a body
EARLY = 0.02             # seconds that two clocks of one computer may differ


@dataclasses.dataclass
class Request:
    serial: str
    key: str | None
    chunks: list[bytes]
    began: float
    connection: int
    status: int | None = None
    ended: float | None = None
    pause: float = 0         # Retry-After that was answered
    overlaps: bool = False   # another request of the same board had not been answered yet
    hasty: bool = False      # it came before a Retry-After was over

    @property
    def is_taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class ChunkServer:
    """`keys`: which key each serial number must come with. Down until `up`."""

    def __init__(self, keys: dict[str, str], busy: tuple = (), pause: int = 1):
        self.keys, self.busy, self.pause = keys, set(busy), pause
        self.forbidden: set[str] = set()         # keys
        self.held: set[str] = set()              # serial numbers whose requests get no answer
        self.release = threading.Event()
        self.requests: list[Request] = []
        self.malformed: list[str] = []
        self.counts: dict[str, int] = {}
        self.waiting_until: dict[str, float] = {}
        # By serial number: the requests whose answer a killed station may not have read, and after how many requests that was.
        self.doubtful: dict[str, list[tuple[int, Request]]] = {}
        self.lock = threading.Lock()
        self.server, self.connections = None, {}
        with socket.create_server(('127.0.0.1', 0)) as place:
            self.port = place.getsockname()[1]

    @property
    def address(self) -> str:
        return f'http://127.0.0.1:{self.port}/api/v0/chunks/{{serial}}'

    def up(self):
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            timeout = 120

            def setup(self):
                super().setup()
                self.number = id(self)
                with owner.lock:
                    owner.connections[self.number] = self.connection

            def finish(self):
                with owner.lock:
                    owner.connections.pop(self.number, None)
                try:
                    super().finish()
                except OSError:
                    pass

            def do_POST(self):
                owner.take(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass         # a client that went away
        self.server = Server(('127.0.0.1', self.port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()

    def down(self):
        """Stops listening and cuts every connection, in the middle of whatever they do."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
        with self.lock:
            for connection in self.connections.values():
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    # -- one request -------------------------------------------------------------------------------------------------------

    def take(self, handler):
        now = time.monotonic()
        match = PATH.fullmatch(handler.path)
        length = handler.headers.get('Content-Length', '')
        if not match or not length.isdigit() or int(length) > MOST:
            self.malformed.append(f'{handler.path} with a length of {length!r}')
            self.say(handler, 411 if match else 404)
            return
        body = handler.rfile.read(int(length))
        if len(body) < int(length):
            return           # the station went away in the middle of it
        chunks, complaint = parts(handler.headers.get('Content-Type', ''), body)
        serial, key = match[1], handler.headers.get('Memfault-Project-Key')
        request = Request(serial, key, chunks, now, handler.number)
        with self.lock:
            request.overlaps = any(other.ended is None for other in self.requests[-64:] if other.serial == serial)
            request.hasty = now < self.waiting_until.get(serial, 0) - EARLY
            self.requests.append(request)
            self.counts[serial] = number = self.counts.get(serial, 0) + 1
        if complaint:
            self.malformed.append(complaint)
            self.answer(handler, request, 400)
            return
        if serial in self.held:
            self.release.wait(60)
        if key != self.keys.get(serial) or key in self.forbidden:
            self.answer(handler, request, 403)
        elif number in self.busy:
            request.pause = self.pause
            self.answer(handler, request, 503, {'Retry-After': str(self.pause)})
        else:
            self.answer(handler, request, 202)

    def answer(self, handler, request: Request, status: int, fields: dict | None = None):
        # Before the answer leaves: the next request may follow at once.
        with self.lock:
            request.status, request.ended = status, time.monotonic()
            if request.pause:
                self.waiting_until[request.serial] = request.ended + request.pause
        if not self.say(handler, status, fields):
            request.status = None

    @staticmethod
    def say(handler, status: int, fields: dict | None = None) -> bool:
        """False when nobody can have heard it."""
        try:
            handler.send_response(status)
            for name, value in (fields or {}).items():
                handler.send_header(name, value)
            handler.send_header('Content-Length', '0')
            handler.end_headers()
        except OSError:
            handler.close_connection = True
            return False
        return True

    # -- what came ---------------------------------------------------------------------------------------------------------

    def arrived(self, serial: str) -> int:
        """Chunks that were taken, those that came twice counted twice."""
        with self.lock:
            return sum(len(request.chunks) for request in self.requests if request.is_taken and request.serial == serial)

    def total(self) -> int:
        with self.lock:
            return sum(len(request.chunks) for request in self.requests if request.is_taken)

    def doubt(self):
        """The station has been killed, or its connections cut. Only of the last request of each board the answer can be unread: the next one is not sent before."""
        with self.lock:
            last = {}
            for number, request in enumerate(self.requests):
                last[request.serial] = (number, request)
            for serial, (number, request) in last.items():
                if request.is_taken:
                    self.doubtful.setdefault(serial, []).append((number, request))

    def forget_pauses(self):
        """The station that was asked for them is dead, and its next process does not know of them."""
        with self.lock:
            self.waiting_until.clear()

    def sequence(self, serial: str) -> tuple[list[bytes], list[bytes], int]:
        """The chunks of a board in the order in which they were taken, each once; those that came again without a reason; how many came again with one."""
        taken: dict[bytes, int] = {}
        wrong, again = [], 0
        with self.lock:
            for number, request in enumerate(self.requests):
                if request.serial != serial or not request.is_taken:
                    continue
                excused = {chunk for before, doubtful in self.doubtful.get(serial, []) if before < number for chunk in doubtful.chunks}
                for chunk in request.chunks:
                    if chunk in taken:
                        again += 1
                        if chunk not in excused:
                            wrong.append(chunk)
                    taken.setdefault(chunk, number)
        return list(taken), wrong, again


def parts(kind: str, body: bytes) -> tuple[list[bytes], str | None]:
    """The chunks of a body, and what is wrong with it: RFC 2046 section 5.1, and every part with its length."""
    if kind == 'application/octet-stream':
        return [body], None if body else 'an empty chunk'
    boundary = re.fullmatch(r'multipart/mixed; boundary="?([^"]{1,70})"?', kind)
    if not boundary:
        return [], f'content type {kind!r}'
    mark, chunks, at = b'--' + boundary[1].encode(), [], 0
    while not body.startswith(mark + b'--', at):
        head = PART.match(body, at + len(mark) + 2)
        if not body.startswith(mark + b'\r\n', at) or not head:
            return chunks, f'part {len(chunks)} is none: {body[at:at + 120]!r}'
        end = head.end() + int(head[1])
        if body[end:end + 2] != b'\r\n':
            return chunks, f'part {len(chunks)} has not the length that it tells'
        chunks.append(body[head.end():end])
        at = end + 2
    return chunks, None if body[at:] == mark + b'--\r\n' and chunks else f'the end is {body[at:]!r}'
