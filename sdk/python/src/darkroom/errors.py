"""Refusals of the API as exceptions, by what a program can do about them."""

from typing import Any

import httpx


class DarkroomError(Exception):
    """A request that was refused, or work that failed. `code` is for programs: the page of errors explains each."""

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
        #: Seconds to wait before the same request may succeed.
        self.retry_after = retry_after
        #: The wrong fields: JSON pointers and messages.
        self.errors = errors or []


class InvalidRequest(DarkroomError):
    """400, 413, 415 or 422: the same request fails again."""


class AccessDenied(DarkroomError):
    """401 or 403: the key is unknown, or may not do this."""


class NotFound(DarkroomError):
    """404: unknown, deleted, or another account's."""


class Conflict(DarkroomError):
    """409: something else is in progress, or the name is taken."""


class RateLimited(DarkroomError):
    """429: too many requests, or no credits left (`QUOTA_EXHAUSTED`)."""


class ServiceError(DarkroomError):
    """500 and above: a fault or an outage of the service."""


class StillRunning(DarkroomError):
    """The work had not ended when the time to wait was over; it continues."""


_BY_STATUS = {401: AccessDenied, 403: AccessDenied, 404: NotFound, 409: Conflict, 429: RateLimited}


def error_of(response: httpx.Response) -> DarkroomError:
    """The exception for a response of 400 or above, also for one that is not the API's own, such as a proxy's."""
    try:
        body = response.json()
    except ValueError:
        body = None
    problem = body if isinstance(body, dict) else {}
    status = response.status_code
    kind = _BY_STATUS.get(status, ServiceError if status >= 500 else InvalidRequest)
    return kind(
        problem.get("detail") or f"the server answered {status}",
        code=problem.get("code"),
        status=status,
        request_id=problem.get("request_id") or response.headers.get("X-Request-Id"),
        retry_after=retry_after(response),
        errors=problem.get("errors"),
    )


def retry_after(response: httpx.Response) -> float | None:
    """Seconds of the header Retry-After; None without one, or where it is a date."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None
