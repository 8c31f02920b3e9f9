"""Errors of the API as exceptions, classified by how a program can handle them."""

from typing import Any

import httpx


class DarkroomError(Exception):
    """A request or an operation that failed. `code` is machine-readable; docs/errors.md explains each."""

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        errors: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}" if code else detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.request_id = request_id
        #: Seconds after which the same request may succeed.
        self.retry_after = retry_after
        #: The invalid fields, as JSON pointers and messages.
        self.errors = errors or []


class InvalidRequest(DarkroomError):
    """400, 413, 415 or 422: the same request would fail again."""


class AccessDenied(DarkroomError):
    """401 or 403: the key is unknown or lacks a permission."""


class NotFound(DarkroomError):
    """404: the resource is unknown, deleted, or belongs to another account."""


class Conflict(DarkroomError):
    """409: a conflicting operation is in progress, or the name is taken."""


class RateLimited(DarkroomError):
    """429: too many requests, or no credits are left (`QUOTA_EXHAUSTED`)."""


class ServiceError(DarkroomError):
    """500 and above: a fault or an outage of the service."""


class StillRunning(DarkroomError):
    """The work did not end within the timeout; it continues on the server."""


class WebhookUnverified(DarkroomError):
    """A webhook that does not come from the service, or is too old."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the webhook is not verified: {why}", code="WEBHOOK_UNVERIFIED")


_BY_STATUS = {401: AccessDenied, 403: AccessDenied, 404: NotFound, 409: Conflict, 429: RateLimited}


def error_of(response: httpx.Response) -> DarkroomError:
    """The exception for a response with status 400 or above, including responses of proxies."""
    try:
        body = response.json()
    except ValueError:
        body = None
    problem = body if isinstance(body, dict) else {}
    status = response.status_code
    kind = _BY_STATUS.get(status, ServiceError if status >= 500 else InvalidRequest)
    return kind(
        problem.get("detail") or f"the server returned {status}",
        code=problem.get("code"),
        status=status,
        request_id=problem.get("request_id") or response.headers.get("X-Request-Id"),
        retry_after=retry_after(response),
        errors=problem.get("errors"),
    )


def retry_after(response: httpx.Response) -> float | None:
    """The seconds in the Retry-After header; None if it is absent or a date."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None
