const DAY_SECONDS = 86_400;

/** A session ends after so long without a request, and at the latest so long after the login. */
export const SESSION_IDLE_SECONDS = 7 * DAY_SECONDS;
export const SESSION_SECONDS = 30 * DAY_SECONDS;
