"""Tests of the client on a running stack, whose URL and key are in the environment."""

import os
import re
import struct
import threading
import unittest
import uuid
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from darkroom import Darkroom, NotFound, StillRunning
from darkroom.api import Api


def picture(side: int = 64) -> bytes:
    """A PNG with unique content of about three bytes per pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + os.urandom(3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Page(BaseHTTPRequestHandler):
    """A website that serves a page about lamps for every path."""

    def do_GET(self):
        if self.path == "/robots.txt":
            return self.send_error(404)
        text = "A lamp lights the street at night, and a keeper puts it out in the morning. " * 20
        body = f"<title>Lamps of {self.path}</title><article><h1>Lamps</h1><p>{text}</p></article>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OnAStack(unittest.TestCase):
    def setUp(self):
        self.darkroom = Darkroom(os.environ["API"], os.environ["KEY"])
        self.addCleanup(self.darkroom.close)

    def test_an_upload_is_processed_and_listed(self):
        title = f"picture {uuid.uuid4()}"
        stored = self.darkroom.upload(picture(), filename="a.png", title=title, tags=["first", "second"])
        file = self.darkroom.wait(stored.file_id)
        self.assertEqual((file["primary_status"], file["title"]), ("completed", title))
        self.assertLessEqual({"first", "second"}, set(file["tags"]))
        found = [one["id"] for one in self.darkroom.files(ids=[file["id"]], media_types=["image"])]
        self.assertEqual(found, [file["id"]])

    def test_a_video_is_uploaded_directly_and_analysed(self):
        stored = self.darkroom.upload("dev/samples/videos/three-samples.mp4")
        video = self.darkroom.wait(stored.file_id)
        self.assertEqual((video["media_type"], video["primary_status"]), ("video", "completed"))
        self.assertTrue(video["key_frames"])

    def test_links_are_added_and_crawled(self):
        site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        url = f"http://127.0.0.1:{site.server_port}/{uuid.uuid4()}"
        added = self.darkroom.add_link(url, tags=["lamp"])
        link = self.darkroom.wait(added["file_id"])
        self.assertEqual((link["media_type"], link["primary_status"]), ("link", "completed"))
        self.assertIn("lamp", link["tags"])
        batch = self.darkroom.add_links([f"{url}/a", {"url": f"{url}/b", "title": "B"}], auto_describe=False)
        self.assertEqual((batch["accepted_files"], batch["rejections"]), (2, []))

    def test_a_list_is_read_page_by_page(self):
        ids = {self.darkroom.upload(picture(), filename="b.png", auto_describe=False).file_id for _ in range(3)}
        listed = [one["id"] for one in self.darkroom.files(limit=1, ids=list(ids))]
        self.assertEqual(sorted(listed), sorted(ids))

    def test_a_direct_upload_behaves_like_other_uploads(self):
        content = picture()
        stored = self.darkroom.upload(content, filename="c.png", tags=["direct"], direct_over=0)
        self.assertEqual(self.darkroom.wait(stored.file_id)["primary_status"], "completed")
        again = self.darkroom.upload(content, filename="c.png", skip_duplicates=True, direct_over=0)
        self.assertEqual((again.file_id, again.skipped), (stored.file_id, True))

    def test_a_multipart_upload(self):
        # Two parts; 5 MiB is the minimum of object stores.
        stored = self.darkroom.upload(
            picture(1400),
            filename="parts.png",
            direct_over=0,
            auto_describe=False,
            upload_mode="multipart",
            part_size_bytes=5_242_880,
        )
        self.assertEqual(self.darkroom.wait(stored.file_id)["primary_status"], "completed")

    def test_existing_content_is_skipped(self):
        content = picture()
        first = self.darkroom.upload(content, filename="d.png")
        second = self.darkroom.upload(content, filename="d.png", skip_duplicates=True)
        self.assertEqual((second.file_id, second.skipped), (first.file_id, True))

    def test_many_files_are_uploaded_in_order_and_failures_are_theirs(self):
        with TemporaryDirectory() as folder:
            paths = [Path(folder, f"{number}.png") for number in range(9)]
            for path in paths:
                path.write_bytes(b"" if path.stem == "4" else picture())
            outcomes = list(self.darkroom.upload_many([*paths, f"{folder}/none.png"], auto_describe=False))
        self.assertEqual([outcome.source for outcome in outcomes[:9]], paths)
        failed = [number for number, outcome in enumerate(outcomes) if outcome.error]
        self.assertEqual(failed, [4, 9], outcomes)
        titles = [self.darkroom.api.get_file(one.stored.file_id)["title"] for one in outcomes if one.stored]
        self.assertEqual(titles, [path.name for path in paths if path.stem != "4"])

    def test_a_file_and_its_variant_are_downloaded(self):
        content = picture()
        stored = self.darkroom.upload(content, filename="f.png")
        self.darkroom.wait(stored.file_id)
        with TemporaryDirectory() as folder:
            original = self.darkroom.download(stored.file_id, Path(folder, "f.png"))
            self.assertEqual(original.read_bytes(), content)
            small = self.darkroom.download(stored.file_id, Path(folder, "small"), variant="tiny_64")
            self.assertGreater(small.stat().st_size, 100)
            self.assertEqual(len(list(Path(folder).iterdir())), 2)

    def test_an_export_is_written_to_a_file(self):
        stored = self.darkroom.upload(picture(), filename="g.png", title="Exported", auto_describe=False)
        self.darkroom.wait(stored.file_id)
        with TemporaryDirectory() as folder:
            path = Path(folder, "files.csv")
            record = self.darkroom.export("csv", ["id", "title"], path, file_ids=[stored.file_id])
            self.assertEqual((record["status"], record["record_count"]), ("completed", 1))
            self.assertIn(f"{stored.file_id},Exported", path.read_text())
            self.darkroom.export_descriptions("jsonl", path, search_terms=["no such words"])
            self.assertEqual(path.read_text(), "")

    def test_a_question_is_answered_from_a_document(self):
        manual = b"# Lamp\n\nThe warranty of this lamp is eleven years. It weighs two kilograms.\n"
        stored = self.darkroom.upload(manual, filename="lamp.md")
        self.darkroom.wait(stored.file_id)
        answer = self.darkroom.ask("How long is the warranty of the lamp?", document_ids=[stored.file_id])
        self.assertEqual(answer["status"], "completed")
        self.assertIn("eleven years", " ".join(one["text"] for one in answer["sentences"]))

    def test_the_events_of_a_file_are_followed_to_their_end(self):
        stored = self.darkroom.upload(picture(), filename="h.png", auto_describe=False)
        for event in self.darkroom.api.stream_file_events(stored.file_id):
            self.assertTrue(event["type"])
        self.assertEqual(self.darkroom.api.get_file(stored.file_id)["primary_status"], "completed")

    def test_the_timeout_error_explains_the_state_of_the_file(self):
        stored = self.darkroom.upload(picture(), filename="e.png")
        try:
            self.darkroom.wait(stored.file_id, timeout=0)
        except StillRunning as still:
            self.assertTrue(still.detail)

    def test_every_operation_for_programs_is_a_method(self):
        document = httpx.get(f"{os.environ['API']}/openapi.json", params={"for": "programs"}).json()
        operations = [one for path in document["paths"].values() for one in path.values()]
        names = [one["operationId"] for one in operations if "101" not in one["responses"]]
        methods = [name for name in vars(Api) if not name.startswith("_")]
        self.assertEqual(sorted(methods), sorted(re.sub("(?=[A-Z])", "_", name).lower() for name in names))

    def test_an_unknown_file_is_not_found(self):
        with self.assertRaises(NotFound):
            self.darkroom.wait("00000000-0000-0000-0000-000000000000")
