"""Direct uploads to an API and an object store that lose requests and bytes."""

import hashlib
import json
import unittest

from darkroom import DarkroomError, InvalidRequest
from prepared_server import Server, problem

UPLOAD = "5cb4a8dd-7ce2-43d0-8d3c-2f1f7a7d7f0a"
FILE = "81962aa5-ab58-45dd-9094-1a2c215e34f1"
OTHER_FILE = "0f0ac6a3-70a1-49a3-b3b1-0d3f4f1c9f11"
DAY = "2026-11-21T10:00:00Z"


SIGNED = {"Content-Type": "image/png"}


def answer(code: int, /, **body: object):
    return code, json.dumps({"upload_id": UPLOAD, **body}).encode(), {}


def part_url(number: int, version: str = "first") -> dict[str, object]:
    return {"part_number": number, "url": f"SERVER/store/{number}/{version}", "expires_at": DAY}


COMMON = {"media_type": "image", "object_key": "o", "filename": "a.png", "size_bytes": 6}
CREATED = answer(
    201,
    **COMMON,
    upload_mode="multipart",
    expires_at=DAY,
    bucket_name="b",
    store_upload_id="s",
    part_urls=[part_url(1), part_url(2)],
    part_size_bytes=4,
    total_parts=2,
)
STORED = (200, b"", {"ETag": "e"})
CONFIRMED = answer(200, part_number=1, parts_confirmed=1, total_parts=2, progress_percent=50)
ARRIVED = [STORED, CONFIRMED, STORED, CONFIRMED]
COMPLETED = answer(202, **COMMON, file_id=FILE, deduplicated=False, status="processing")
SECOND_MISSING = (
    422,
    b'{"detail":"no","code":"PARTS_MISSING","errors":[{"pointer":"/parts/2","message":"not confirmed"}]}',
    {},
)


def record(status: str, file_id: str | None = FILE):
    return answer(
        200,
        **COMMON,
        upload_mode="multipart",
        status=status,
        claimed_file_hash=hashlib.sha256(b"abcdef").hexdigest(),
        part_size_bytes=2,
        total_parts=2,
        parts_confirmed=2,
        progress_percent=100,
        file_id=file_id,
        created_at=DAY,
        expires_at=DAY,
        confirmed_at=None,
        error_message=None,
    )


class DirectUploads(unittest.TestCase):
    def upload(self, *answers, **fields):
        self.server = Server(*answers)
        self.addCleanup(self.server.close)
        return self.server.client.upload(b"abcdef", filename="a.png", direct_over=0, **fields)

    def sent(self) -> list[tuple[str, bytes]]:
        """The path and the bytes of each request that the object store received."""
        requests = zip(self.server.requests, self.server.bodies)
        return [(request.removeprefix("PUT /store/"), body) for request, body in requests if request.startswith("PUT")]

    def test_a_small_file_is_sent_at_once(self):
        url = {"upload_mode": "single_shot", "presigned_url": "SERVER/store/whole", "headers": SIGNED}
        created = answer(201, **COMMON, **url)
        self.upload(created, None, STORED, COMPLETED, record("COMPLETED"))
        self.assertEqual(self.sent(), [("whole", b"abcdef")] * 2)

    def test_a_lost_confirmation_is_retried(self):
        for lost in [None, (502, b"", {"Retry-After": "0"})]:
            with self.subTest(lost):
                answers = [STORED, lost, CONFIRMED, STORED, CONFIRMED]
                stored = self.upload(CREATED, *answers, COMPLETED, record("COMPLETED"))
                self.assertEqual((stored.file_id, stored.skipped), (FILE, False))
                self.assertEqual(self.sent(), [("1/first", b"abcd"), ("2/first", b"ef")])

    def test_a_part_is_resent_after_a_temporary_error_of_the_store(self):
        for status in (408, 429, 503):
            with self.subTest(status):
                self.upload(CREATED, (status, b"", {}), *ARRIVED, COMPLETED, record("COMPLETED"))
                self.assertEqual([path for path, _ in self.sent()], ["1/first", "1/first", "2/first"])

    def test_a_permanent_error_of_the_store_is_raised(self):
        with self.assertRaises(DarkroomError) as refused:
            self.upload(CREATED, (403, b"expired", {}))
        self.assertEqual(refused.exception.status, 403)

    def test_missing_parts_are_resent(self):
        again = answer(200, **part_url(2, "second"))
        # The first response comes from the verification, which does not name the parts.
        missing = [(422, problem("PARTS_MISSING"), {}), SECOND_MISSING]
        self.upload(CREATED, *ARRIVED, *missing, again, STORED, CONFIRMED, COMPLETED, record("COMPLETED"))
        self.assertEqual(self.sent(), [("1/first", b"abcd"), ("2/first", b"ef"), ("2/second", b"ef")])
        completions = [key for key, path in zip(self.server.keys, self.server.requests) if path.endswith("/complete")]
        self.assertEqual(len(set(completions)), 3)

    def test_a_part_is_sent_at_most_three_times(self):
        again = [SECOND_MISSING, answer(200, **part_url(2, "again")), STORED, CONFIRMED]
        with self.assertRaises(InvalidRequest) as refused:
            self.upload(CREATED, *ARRIVED, *again, *again, SECOND_MISSING)
        self.assertEqual(refused.exception.code, "PARTS_MISSING")
        self.assertEqual(len(self.sent()), 4)

    def test_the_completion_is_repeated_until_the_bytes_are_verified(self):
        pending = [COMPLETED, record("UPLOADED", None)]
        stored = self.upload(
            CREATED, *ARRIVED, *pending, COMPLETED, record("COMPLETED", OTHER_FILE), skip_duplicates=True
        )
        self.assertEqual((stored.file_id, stored.skipped), (OTHER_FILE, True))

    def test_an_upload_is_resumed_by_its_id_alone(self):
        def part(number: int, state: str, content: bytes | None):
            etag = None if content is None else hashlib.md5(content).hexdigest()
            return {"part_number": number, "size_bytes": 2, "state": state, "etag": etag}

        server = self.server = Server(
            record("PENDING", None),
            answer(
                200,
                parts=[part(1, "confirmed", b"ab"), part(2, "stored", b"cd"), part(3, "confirmed", b"xx")],
                has_more_parts=False,
            ),
            CONFIRMED,
            answer(200, **part_url(3, "again")),
            STORED,
            CONFIRMED,
            COMPLETED,
            record("COMPLETED"),
            record("PENDING", None),
        )
        self.addCleanup(server.close)
        self.assertEqual(server.client.resume_upload(UPLOAD, b"abcdef").file_id, FILE)
        self.assertEqual(self.sent(), [("3/again", b"ef")])
        with self.assertRaises(DarkroomError) as refused:
            server.client.resume_upload(UPLOAD, b"abcdeg")
        self.assertEqual(refused.exception.code, "OTHER_FILE")
