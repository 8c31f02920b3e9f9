"""The client with a server that rejects requests, closes connections and returns invalid responses."""

import json
import unittest

import httpx
from darkroom import (
    AccessDenied,
    Conflict,
    Darkroom,
    DarkroomError,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServiceError,
)
from prepared_server import Server, problem

STORED = (
    b'{"file_id":"81962aa5-ab58-45dd-9094-1a2c215e34f1","upload_method":"STREAMING","status":"processing",'
    b'"processing_time_ms":1,"upload_completed":true,"thumbnail_generation_started":true,"analysis_started":true,'
    b'"skipped":false,"existing_file_id":null,"storage_target":"default","media_type":"image","document_type":null,'
    b'"text_extraction_status":null}'
)


class Retries(unittest.TestCase):
    def serve(self, *answers, **options) -> Server:
        server = Server(*answers, **options)
        self.addCleanup(server.close)
        return server

    def test_a_temporarily_refused_upload_is_resent_completely(self):
        server = self.serve((429, problem("UPLOAD_BACKPRESSURE"), {"Retry-After": "0"}), (201, STORED, {}))
        answer = server.client.upload(b"picture", filename="a.jpg", tags=["cup", "table"])
        self.assertEqual(answer.file_id, "81962aa5-ab58-45dd-9094-1a2c215e34f1")
        self.assertEqual(len(server.bodies), 2)
        for body in server.bodies:
            self.assertIn(b"picture", body)
            self.assertIn(b"cup,table", body)

    def test_an_upload_with_unknown_outcome_is_retried_without_creating_a_duplicate(self):
        for lost in [None, *((status, problem("SERVICE_UNAVAILABLE"), {"Retry-After": "0"}) for status in (502, 503))]:
            with self.subTest(lost):
                server = self.serve(lost, (201, STORED, {}))
                server.client.upload(b"picture", filename="a.jpg")
                self.assertEqual([skips_duplicates(body) for body in server.bodies], [False, True])

    def test_an_upload_with_unknown_outcome_is_not_retried_if_duplicates_are_wanted(self):
        for lost, kind in [(None, httpx.TransportError), ((503, problem("SERVICE_UNAVAILABLE"), {}), ServiceError)]:
            with self.subTest(lost):
                server = self.serve(lost)
                with self.assertRaises(kind):
                    server.client.upload(b"picture", filename="a.jpg", skip_duplicates=False)
                self.assertEqual(len(server.bodies), 1)

    def test_an_operation_without_a_key_is_retried_only_after_a_refusal(self):
        refused = (429, problem("RATE_LIMITED"), {"Retry-After": "0"})
        server = self.serve(refused, (503, problem("SERVICE_UNAVAILABLE"), {"Retry-After": "0"}))
        with self.assertRaises(ServiceError):
            server.client.api.create_webhook(url="https://example.com/", events=["*"])
        self.assertEqual(server.keys, [None, None])

    def test_a_creation_with_a_key_is_retried_with_the_same_key(self):
        server = self.serve(None, (201, b'{"id":"1"}', {}), (201, b'{"id":"2"}', {}))
        server.client.api.create_folder(name="invoices")
        server.client.api.create_folder(name="letters", idempotency_key="letters")
        self.assertEqual((server.keys[0], server.keys[2]), (server.keys[1], "letters"))

    def test_an_interrupted_search_is_retried(self):
        server = self.serve(None, (422, problem("VALIDATION_FAILED"), {}))
        with self.assertRaises(InvalidRequest):
            server.client.search("warranty")
        self.assertEqual(len(server.bodies), 2)

    def test_an_interrupted_extraction_is_retried_until_the_first_attempt_ends(self):
        in_flight = (409, problem("REQUEST_IN_FLIGHT"), {"Retry-After": "0"})
        end = (422, problem("EXTRACTION_EMPTY"), {})
        server = self.serve(None, *[in_flight] * 5, end, timeout=30)
        with self.assertRaises(InvalidRequest) as refused:
            server.client.extract("81962aa5-ab58-45dd-9094-1a2c215e34f1", {"type": "object"})
        self.assertEqual(refused.exception.code, "EXTRACTION_EMPTY")
        self.assertEqual((len(server.keys), len(set(server.keys))), (7, 1))
        self.assertEqual(json.loads(server.bodies[0])["timeout"], 60)

    def test_waiting_for_the_first_attempt_is_limited_by_patience(self):
        server = self.serve((409, problem("REQUEST_IN_FLIGHT"), {"Retry-After": "0"}), patience=0)
        with self.assertRaises(Conflict):
            server.client.extract("81962aa5-ab58-45dd-9094-1a2c215e34f1", {"type": "object"})

    def test_an_interrupted_read_is_retried(self):
        server = self.serve(None, (404, problem("NOT_FOUND"), {}))
        with self.assertRaises(NotFound) as refused:
            server.client.api.get_file("81962aa5")
        self.assertEqual((refused.exception.code, refused.exception.request_id), ("NOT_FOUND", "r-1"))
        self.assertEqual(len(server.bodies), 2)

    def test_retries_are_limited(self):
        again = (503, problem("SERVICE_UNAVAILABLE"), {"Retry-After": "0"})
        server = self.serve(again, again, again)
        with self.assertRaises(ServiceError):
            server.client.api.get_file("81962aa5")
        self.assertEqual(len(server.bodies), 3)

    def test_permanent_errors_are_not_retried(self):
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
                    server.client.api.get_file("81962aa5")
                self.assertEqual(refused.exception.status, status)
                self.assertEqual(len(server.bodies), 1)

    def test_an_error_response_of_a_proxy_is_raised(self):
        server = self.serve((400, b"<html>proxy</html>", {"Content-Type": "text/html"}))
        with self.assertRaises(DarkroomError) as refused:
            server.client.api.get_file("81962aa5")
        self.assertEqual(refused.exception.detail, "the server returned 400")

    def test_another_server_is_recognised(self):
        client = self.serve(respond=lambda _: (200, b"<html>another server</html>", {"Content-Type": "text/html"})).client
        for call in (
            lambda: client.api.get_file("81962aa5"),
            lambda: client.api.download_file("81962aa5"),
            lambda: client.upload(b"picture", filename="a.jpg"),
        ):
            with self.assertRaises(DarkroomError) as refused:
                call()
            self.assertEqual(refused.exception.code, "NOT_AN_API")

    def test_a_key_with_a_line_break_is_refused_at_once(self):
        for key in ("drk_1\n", "", "drk_é", "drk 1"):
            with self.subTest(key), self.assertRaises(ValueError):
                Darkroom("http://127.0.0.1", key)

    def test_bytes_require_a_filename(self):
        with self.assertRaises(ValueError):
            self.serve().client.upload(b"picture")


def skips_duplicates(form: bytes) -> bool:
    return b'name="skip_duplicates"\r\n\r\ntrue' in form
