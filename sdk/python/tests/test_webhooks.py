"""Webhooks that are signed, altered, old, or signed by another secret."""

import base64
import hashlib
import hmac
import json
import os
import unittest
from email.message import Message

from darkroom import DarkroomError, WebhookUnverified, verify_webhook

NOW = 1_795_406_400
BODY = '{"type":"file.completed","data":{"title":"Café"}}'


def new_secret() -> str:
    return f"whsec_{base64.b64encode(os.urandom(24)).decode()}"


SECRET = new_secret()


def sign(secret: str, message: str = "msg_1", at: int = NOW, text: str = BODY) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{message}.{at}.{text}".encode(), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def headers(signature: str, at: int | str = NOW) -> dict[str, str]:
    return {"webhook-id": "msg_1", "webhook-timestamp": str(at), "webhook-signature": signature}


class Webhooks(unittest.TestCase):
    def test_a_webhook_is_verified_as_text_or_bytes_and_with_headers_in_any_case(self):
        event = verify_webhook(BODY, headers(sign(SECRET)), SECRET, now=NOW)
        self.assertEqual(event["type"], "file.completed")
        message = Message()
        for name, value in headers(sign(SECRET)).items():
            message[name.title()] = value
        self.assertEqual(verify_webhook(BODY.encode(), message, SECRET, now=NOW), json.loads(BODY))

    def test_the_example_in_the_specification_is_verified(self):
        example = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        verify_webhook('{"test": 2432232314}', example, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now=1_614_265_330)

    def test_during_a_rotation_the_sender_and_the_receiver_may_each_have_both_secrets(self):
        following = new_secret()
        verify_webhook(BODY, headers(sign(following)), [SECRET, following], now=NOW)
        verify_webhook(BODY, headers(f"v1a,other {sign(following)} {sign(SECRET)}"), SECRET, now=NOW)

    def test_a_webhook_that_is_altered_unsigned_too_old_or_from_the_future_is_refused(self):
        for why, given, text in [
            ("no signature matches", headers(sign(new_secret())), BODY),
            ("no signature matches", headers(sign(SECRET)), f"{BODY} "),
            ("no signature matches", {**headers(sign(SECRET)), "webhook-id": "msg_2"}, BODY),
            ("no signature matches", headers("v1,%%%"), BODY),
            ("no signature matches", headers("v1,é v1, v1"), BODY),
            ("no signature matches", headers(sign(SECRET).replace("v1,", "v2,")), BODY),
            ("too old", headers(sign(SECRET, at=NOW - 301), NOW - 301), BODY),
            ("too old", headers(sign(SECRET, at=NOW + 301), NOW + 301), BODY),
            ("not a number", headers(sign(SECRET), "yesterday"), BODY),
            ("not a number", headers(sign(SECRET), "١٧٩٥٤٠٦٤٠٠"), BODY),
            ("missing", {"webhook-id": "msg_1", "webhook-timestamp": str(NOW)}, BODY),
        ]:
            with self.subTest(why, given=given), self.assertRaisesRegex(WebhookUnverified, why) as refused:
                verify_webhook(text, given, SECRET, now=NOW)
            self.assertIsInstance(refused.exception, DarkroomError)
            self.assertEqual(refused.exception.code, "WEBHOOK_UNVERIFIED")

    def test_without_a_time_the_clock_is_used(self):
        with self.assertRaisesRegex(WebhookUnverified, "too old"):
            verify_webhook(BODY, headers(sign(SECRET, at=1), 1), SECRET)

    def test_a_secret_that_is_none_is_an_error_of_the_program(self):
        for secret in ("", "whsec_", "whsec_%%%"):
            with self.subTest(secret), self.assertRaises(ValueError):
                verify_webhook(BODY, headers(sign(SECRET)), secret, now=NOW)
