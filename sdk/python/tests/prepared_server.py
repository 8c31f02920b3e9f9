"""A server with prepared responses."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from darkroom import Darkroom


def problem(code: str) -> bytes:
    return f'{{"detail":"no","code":"{code}","request_id":"r-1"}}'.encode()


class Server:
    """Returns prepared responses in turn: status, body and headers. None closes the connection.

    SERVER in a body or a header is replaced by the address of the server. A Content-Length that is longer than the body
    breaks the connection after it. `respond` makes the response to the body of a request instead.
    """

    def __init__(self, *answers, respond=None, **options):
        self.bodies: list[bytes] = []
        #: Method and path of each request.
        self.requests: list[str] = []
        self.keys: list[str | None] = []
        self.authorizations: list[str | None] = []
        left = list(answers)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                sent = self._body()
                outer.bodies.append(sent)
                outer.authorizations.append(self.headers.get("Authorization"))
                outer.requests.append(f"{self.command} {self.path}")
                outer.keys.append(self.headers.get("Idempotency-Key"))
                answer = respond(sent) if respond else left.pop(0)
                if answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, body, headers = answer
                body = body.replace(b"SERVER", outer.url.encode())
                self.send_response(status)
                length = {"Content-Type": "application/json", "Content-Length": str(len(body))}
                for name, value in {**length, **headers}.items():
                    self.send_header(name, value.replace("SERVER", outer.url))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = "Content-Length" in headers

            do_GET = do_PUT = do_POST

            def _body(self) -> bytes:
                if "Content-Length" in self.headers:
                    return self.rfile.read(int(self.headers["Content-Length"]))
                body = b""
                while self.headers.get("Transfer-Encoding") == "chunked":
                    size = int(self.rfile.readline(), 16)
                    body += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        break
                return body

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.client = Darkroom(self.url, "drk_test", **{"retries": 2, **options})

    def close(self):
        self.client.close()
        self._server.shutdown()
        self._server.server_close()
