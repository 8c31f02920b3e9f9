"""Downloads, exports and answers from a server that is slow, breaks connections, or fails."""

import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from darkroom import DarkroomError, NotFound, StillRunning
from prepared_server import Server, problem

ID = "81962aa5-ab58-45dd-9094-1a2c215e34f1"
ADDRESS = (302, b"", {"Location": "SERVER/store/object"})
EXPIRED = (403, b"<Code>AccessDenied</Code>", {})


def answer(code: int, /, **body: object):
    return code, json.dumps(body).encode(), {}


def export(status: str, **fields: object):
    progress = {"records": 1, "total_records": 4, "percent": 25}
    return answer(200, export_id=ID, status=status, progress=progress, error_message=None, **fields)


DONE = export("completed", download_url="SERVER/store/object", record_count=2)


class Results(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "result")

    def serve(self, *answers, **options) -> Server:
        server = Server(*answers, **options)
        self.addCleanup(server.close)
        return server

    def assert_unchanged(self, text: str) -> None:
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["result"])
        self.assertEqual(self.path.read_text(), text)

    def test_an_interrupted_download_begins_again_at_a_new_address(self):
        cut = (200, b"pic", {"Content-Length": "7"})
        server = self.serve(ADDRESS, cut, ADDRESS, EXPIRED, ADDRESS, (200, b"picture", {}))
        self.assertEqual(server.client.download(ID, self.path, variant="tiny_64"), self.path)
        self.assert_unchanged("picture")
        with_key = [request for request, key in zip(server.requests, server.authorizations) if key]
        self.assertEqual(with_key, [f"GET /files/{ID}/variant/tiny_64"] * 3)

    def test_a_download_that_fails_leaves_what_was_there(self):
        self.path.write_text("old")
        short = [ADDRESS, answer(200, size_bytes=7), (200, b"pic", {})]
        for kind, answers in {
            httpx.TransportError: short * 2,
            NotFound: [(404, problem("NOT_FOUND"), {})],
            DarkroomError: [ADDRESS, answer(200, size_bytes=7), (404, b"<Code>NoSuchKey</Code>", {})],
        }.items():
            with self.subTest(kind), self.assertRaises(kind):
                self.serve(*answers, retries=1).client.download(ID, self.path)
            self.assert_unchanged("old")
        with self.assertRaises(IsADirectoryError):
            self.serve().client.download(ID, self.path.parent)

    def test_an_export_is_waited_for_and_written(self):
        server = self.serve(answer(202, export_id=ID), export("processing"), DONE, DONE, (200, b"id,title", {}))
        columns = ["id", {"field_key": "title", "display_name": "Name"}]
        record = server.client.export("csv", columns, self.path, folder_id="root")
        self.assertEqual(record["record_count"], 2)
        self.assert_unchanged("id,title")
        sent = json.loads(server.bodies[0])
        self.assertEqual(sent["columns"], [{"field_key": "id"}, columns[1]])
        self.assertEqual((sent["format"], sent["folder_id"]), ("csv", "root"))

    def test_an_export_without_a_file_is_an_error_only_for_a_path(self):
        sheet = export("completed", download_url=None, spreadsheet_url="https://example.com/")
        record = self.serve(answer(200, export_id=ID), sheet).client.export("google_sheets", ["id"])
        self.assertEqual(record["spreadsheet_url"], "https://example.com/")
        with self.assertRaises(DarkroomError):
            self.serve(answer(200, export_id=ID), sheet).client.export("google_sheets", ["id"], self.path)

    def test_a_failed_export_is_an_error(self):
        failed = answer(200, status="failed", error_message="no longer allowed", download_url=None)
        with self.assertRaisesRegex(DarkroomError, "EXPORT_FAILED: no longer allowed"):
            self.serve(answer(202, export_id=ID), failed).client.export_descriptions("jsonl", self.path)

    def test_an_export_that_takes_longer_goes_on(self):
        with self.assertRaisesRegex(StillRunning, "25 %"):
            self.serve(answer(202, export_id=ID), export("processing")).client.export("csv", ["id"], timeout=0)

    def test_an_answer_is_waited_for_and_a_failed_one_is_an_error(self):
        started = answer(202, answer_id=ID, status="processing", poll_url="/")
        processing = answer(200, answer_id=ID, status="processing", sentences=[], error=None)
        done = answer(200, answer_id=ID, status="completed", sentences=[{"text": "Two years."}], error=None)
        server = self.serve(None, started, processing, done)
        self.assertEqual(server.client.ask("How long?", folder_id=ID)["sentences"][0]["text"], "Two years.")
        self.assertEqual(json.loads(server.bodies[0]), {"question": "How long?", "timeout": 60, "folder_id": ID})
        self.assertEqual(server.keys[0], server.keys[1])
        self.assertEqual(self.serve(done).client.ask("How long?")["status"], "completed")
        failed = answer(200, status="failed", sentences=[], error={"code": "ANSWER_FAILED", "message": "no"})
        with self.assertRaisesRegex(DarkroomError, "ANSWER_FAILED: no"):
            self.serve(started, failed).client.ask("How long?")
        with self.assertRaises(StillRunning):
            self.serve(started, processing).client.ask("How long?", timeout=0)

    def test_a_failed_extraction_is_an_error(self):
        started = answer(202, extraction_id=ID, status="processing")
        failed = answer(
            200, extraction_id=ID, status="failed", extracted_data=None, error={"code": "MODEL_REFUSED", "message": "no"}
        )
        with self.assertRaisesRegex(DarkroomError, "MODEL_REFUSED: no"):
            self.serve(started, failed).client.extract(ID, {"type": "object"})

    def test_events_are_read_to_the_end_of_the_stream(self):
        stream = b': ping\n\nid: 1\nevent: a\ndata: {"type":\ndata: "a"}\n\ndata:{"type":"b"}\n\ndata: {"cut'
        server = self.serve((200, stream, {"Content-Type": "text/event-stream"}))
        self.assertEqual([event["type"] for event in server.client.api.stream_file_events(ID)], ["a", "b"])

    def test_a_parameter_of_a_path_stays_one_part_of_it(self):
        server = self.serve((404, problem("NOT_FOUND"), {}))
        with self.assertRaises(NotFound):
            server.client.api.get_file("../api-keys?x=1")
        self.assertEqual(server.requests, ["GET /files/..%2Fapi-keys%3Fx%3D1"])
