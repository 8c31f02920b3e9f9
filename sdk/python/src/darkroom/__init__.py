"""The client of Darkroom's API."""

from .client import Darkroom, Extraction
from .errors import (
    AccessDenied,
    Conflict,
    DarkroomError,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServiceError,
    StillRunning,
    WebhookUnverified,
)
from .many import Outcome, Stored
from .webhooks import verify_webhook

__all__ = [
    "AccessDenied",
    "Conflict",
    "Darkroom",
    "DarkroomError",
    "Extraction",
    "InvalidRequest",
    "NotFound",
    "Outcome",
    "RateLimited",
    "ServiceError",
    "StillRunning",
    "Stored",
    "WebhookUnverified",
    "verify_webhook",
]
