"""A relay that lies: it passes requests on to a real one and may alter what comes back, or answer in its place."""

import http.client
import socketserver
import threading
from http.server import BaseHTTPRequestHandler

import cbor2

from harness import free_port

CBOR = "application/cbor"


class Answer:
    """What the agent gets. `body` may be bytes, or an iterator of pieces that need never end."""

    def __init__(self, status: int, body=b"", content_type: str = CBOR):
        self.status = status
        self.body = body
        self.content_type = content_type

    @classmethod
    def of(cls, message, status: int = 200) -> "Answer":
        return cls(status, cbor2.dumps(message))

    @classmethod
    def problem(cls, status: int, code: str) -> "Answer":
        text = f'{{"type":"urn:lockstep:problem:{code}","title":"{code}","status":{status},"detail":"a lie"}}'
        return cls(status, text.encode(), "application/problem+json")

    @property
    def message(self):
        return cbor2.loads(self.body)


class Asked:
    """A request: `what` is the last part of its path, as `changes` or `records`."""

    def __init__(self, method: str, path: str, body: bytes, pass_on):
        self.method = method
        self.path = path
        self.body = body
        self.pass_on = pass_on

    @property
    def what(self) -> str:
        return self.path.partition("?")[0].rstrip("/").rpartition("/")[2]

    @property
    def query(self) -> dict:
        return dict(part.split("=", 1) for part in self.path.partition("?")[2].split("&") if "=" in part)


class LyingRelay:
    """`lie` is called with each request; it answers, or gives None to be honest."""

    def __init__(self, target_port: int):
        self.target_port = target_port
        self.port = free_port()
        self.lie = None
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def serve(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                asked = Asked(self.command, self.path, body, lambda: outer._pass_on(self, body))
                outer.asked.append(f"{self.command} {asked.what}")
                answer = (outer.lie(asked) if outer.lie else None) or asked.pass_on()
                self._send(answer)

            def _send(self, answer: Answer):
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                if isinstance(answer.body, bytes):
                    if answer.status != 204:
                        self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)
                    return
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for piece in answer.body:
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            do_GET = do_POST = do_PUT = do_DELETE = serve

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 64

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _pass_on(self, handler, body: bytes) -> Answer:
        relay = http.client.HTTPConnection("127.0.0.1", self.target_port, timeout=70)
        headers = {name: value for name, value in handler.headers.items() if name.lower() != "connection"}
        relay.request(handler.command, handler.path, body=body or None, headers=headers)
        answer = relay.getresponse()
        kept = Answer(answer.status, answer.read(), answer.getheader("Content-Type") or CBOR)
        relay.close()
        return kept
