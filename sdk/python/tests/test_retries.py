"""The client against a server that refuses, cuts off and answers nonsense."""

import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
from darkroom import AccessDenied, Darkroom, DarkroomError, InvalidRequest, NotFound, RateLimited, ServiceError
from darkroom_client.api.files import get_file

STORED = (
    b'{"file_id":"81962aa5-ab58-45dd-9094-1a2c215e34f1","upload_method":"STREAMING","status":"processing",'
    b'"processing_time_ms":1,"upload_completed":true,"thumbnail_generation_started":true,"analysis_started":true,'
    b'"skipped":false,"existing_file_id":null,"storage_target":"default","media_type":"image","document_type":null,'
    b'"text_extraction_status":null}'
)


def problem(code: str) -> bytes:
    return f'{{"detail":"no","code":"{code}","request_id":"r-1"}}'.encode()


class Server:
    """Gives prepared answers in turn: status, body and headers; None cuts the connection."""

    def __init__(self, *answers):
        self.bodies: list[bytes] = []
        left = list(answers)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                outer.bodies.append(self._body())
                answer = left.pop(0)
                if answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, body, headers = answer
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST

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

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.client = Darkroom(f"http://127.0.0.1:{self._server.server_port}", "drk_test", retries=2)

    def close(self):
        self.client.close()
        self._server.shutdown()
        self._server.server_close()


class Retries(unittest.TestCase):
    def serve(self, *answers) -> Server:
        server = Server(*answers)
        self.addCleanup(server.close)
        return server

    def test_an_upload_that_is_refused_for_now_is_sent_again_whole(self):
        server = self.serve((429, problem("UPLOAD_BACKPRESSURE"), {"Retry-After": "0"}), (201, STORED, {}))
        answer = server.client.upload(b"picture", filename="a.jpg", tags=["cup", "table"])
        self.assertEqual(answer.file_id, "81962aa5-ab58-45dd-9094-1a2c215e34f1")
        self.assertEqual(len(server.bodies), 2)
        for body in server.bodies:
            self.assertIn(b"picture", body)
            self.assertIn(b"cup,table", body)

    def test_an_upload_that_was_cut_off_is_not_sent_again(self):
        server = self.serve(None)
        with self.assertRaises(httpx.TransportError):
            server.client.upload(b"picture", filename="a.jpg")
        self.assertEqual(len(server.bodies), 1)

    def test_a_read_that_was_cut_off_is_repeated(self):
        server = self.serve(None, (404, problem("NOT_FOUND"), {}))
        with self.assertRaises(NotFound) as refused:
            server.client.call(get_file, "81962aa5")
        self.assertEqual((refused.exception.code, refused.exception.request_id), ("NOT_FOUND", "r-1"))
        self.assertEqual(len(server.bodies), 2)

    def test_retries_end(self):
        again = (503, problem("SERVICE_UNAVAILABLE"), {"Retry-After": "0"})
        server = self.serve(again, again, again)
        with self.assertRaises(ServiceError):
            server.client.call(get_file, "81962aa5")
        self.assertEqual(len(server.bodies), 3)

    def test_what_will_not_pass_is_not_repeated(self):
        for status, code, headers, kind in [
            (429, "QUOTA_EXHAUSTED", {"Retry-After": "0"}, RateLimited),
            (429, "RATE_LIMITED", {"Retry-After": "100000"}, RateLimited),
            (503, "MODEL_UNAVAILABLE", {"x-should-retry": "false"}, ServiceError),
            (422, "VALIDATION_FAILED", {}, InvalidRequest),
            (401, "UNAUTHENTICATED", {}, AccessDenied),
        ]:
            with self.subTest(code):
                server = self.serve((status, problem(code), headers))
                with self.assertRaises(kind) as refused:
                    server.client.call(get_file, "81962aa5")
                self.assertEqual(refused.exception.status, status)
                self.assertEqual(len(server.bodies), 1)

    def test_an_answer_that_is_not_of_the_api_is_an_error_too(self):
        server = self.serve((400, b"<html>proxy</html>", {"Content-Type": "text/html"}))
        with self.assertRaises(DarkroomError) as refused:
            server.client.call(get_file, "81962aa5")
        self.assertEqual(refused.exception.detail, "the server answered 400")

    def test_bytes_need_a_name(self):
        with self.assertRaises(ValueError):
            self.serve().client.upload(b"picture")
