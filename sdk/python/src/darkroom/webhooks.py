"""Verification of webhooks according to Standard Webhooks 1.0, by the rules of sdk/src/webhooks.ts."""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from .errors import WebhookUnverified

if TYPE_CHECKING:
    from .api import WebhookEvent

_PREFIX = "whsec_"


def verify_webhook(
    body: str | bytes,
    headers: Mapping[str, str],
    secrets: str | Iterable[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> "WebhookEvent":
    """Verifies the unmodified body of a webhook, and returns its event.

    `secrets` is the secret of the subscription, `whsec_…`; both secrets during a rotation. `tolerance` is the maximum
    difference between the timestamp and the clock, or `now`, in seconds. Raises WebhookUnverified; respond to such a
    request with an error.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message, timestamp, signatures = (given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not message or not timestamp or not signatures:
        raise WebhookUnverified("a header is missing")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookUnverified("the timestamp is not a number")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookUnverified("the timestamp is too old or in the future")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{message}.{timestamp}.".encode() + content
    candidates = [_decoded(one[3:]) for one in signatures.split(" ") if one.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = _decoded(secret.removeprefix(_PREFIX))
        if not key:
            raise ValueError("a webhook secret is base64 after whsec_")
        expected = hmac.digest(key, signed, hashlib.sha256)
        # Compares in constant time, and all of them.
        if any([hmac.compare_digest(expected, one) for one in candidates if one]):
            return cast("WebhookEvent", json.loads(content))
    raise WebhookUnverified("no signature matches")


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None
