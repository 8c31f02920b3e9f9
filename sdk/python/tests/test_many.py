"""Uploads of many files to a server that refuses some, and counts how many it has at a time."""

import io
import json
import re
import threading
import unittest
from itertools import count

from darkroom import Outcome
from prepared_server import Server, problem


def named(name: str) -> io.BytesIO:
    """An open file with a name, which is also its content."""
    file = io.BytesIO(name.encode())
    file.name = name
    return file


def name_in(form: bytes) -> str:
    return re.search(rb'filename="([^"]*)"', form).group(1).decode()


def stored(name: str):
    return 201, json.dumps({"file_id": f"id of {name}", "skipped": False}).encode(), {}


class Many(unittest.TestCase):
    def serve(self, respond, **options) -> Server:
        server = Server(respond=respond, **options)
        self.addCleanup(server.close)
        return server

    def test_outcomes_are_in_order_and_an_error_is_that_of_its_file(self):
        def respond(form: bytes):
            name = name_in(form)
            return (415, problem("UNSUPPORTED_MEDIA"), {}) if name == "3.txt" else stored(name)

        names = [f"{number}.txt" for number in range(12)]
        sources = [*map(named, names), "/no/such/file.txt", b"bytes without a name"]
        outcomes = list(self.serve(respond).client.upload_many(sources))
        self.assertEqual([outcome.source for outcome in outcomes], sources)
        errors = {number: type(one.error).__name__ for number, one in enumerate(outcomes) if one.error}
        self.assertEqual(errors, {3: "InvalidRequest", 12: "FileNotFoundError", 13: "ValueError"})
        ids = [one.stored.file_id for one in outcomes if one.stored]
        self.assertEqual(ids, [f"id of {name}" for name in names if name != "3.txt"])

    def test_as_many_files_are_sent_at_a_time_as_asked_and_no_more(self):
        lock, together = threading.Lock(), threading.Barrier(3, timeout=20)
        now, most = 0, 0

        def respond(form: bytes):
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            # Breaks, and fails the test, unless three requests are here at the same time.
            together.wait()
            with lock:
                now -= 1
            return stored(name_in(form))

        client = self.serve(respond).client
        outcomes = list(client.upload_many((named(f"{number}.txt") for number in range(9)), concurrency=3))
        self.assertEqual([outcome.error for outcome in outcomes], [None] * 9)
        self.assertEqual(most, 3)

    def test_refused_files_are_retried_each_completely(self):
        seen: set[str] = set()

        def respond(form: bytes):
            name = name_in(form)
            if name in seen:
                return stored(name) if name.encode() in form.split(b"\r\n\r\n", 1)[1] else (400, b"{}", {})
            seen.add(name)
            return 429, problem("RATE_LIMITED"), {"Retry-After": "0"}

        outcomes = list(self.serve(respond).client.upload_many(named(f"{number}.txt") for number in range(8)))
        self.assertEqual([outcome.error for outcome in outcomes], [None] * 8)

    def test_sources_are_taken_as_needed_and_none_after_the_caller_stops(self):
        taken = []
        server = self.serve(lambda form: stored(name_in(form)))

        def endless():
            for number in count():
                taken.append(number)
                yield named(f"{number}.txt")

        outcomes = server.client.upload_many(endless(), concurrency=2)
        first: Outcome = next(outcomes)
        self.assertEqual(first.stored.file_id, "id of 0.txt")
        outcomes.close()
        self.assertLessEqual(len(taken), 9)
        self.assertLessEqual(len(server.requests), len(taken))
