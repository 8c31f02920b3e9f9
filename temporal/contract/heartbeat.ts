/** What an attempt of an activity leaves with the engine while it runs; the next attempt and `describe` read it. */
export interface HeartbeatDetails {
  /** Attempts that failed for a reason that may be the file's own. */
  counted?: number;
  /** Attempts whose worker vanished; the running one is included until it ends. */
  lost?: number;
  /** Attempts that went back to the engine before they began, as other tenants came first. */
  returned?: number;
  /** The step that a fast path is working on. */
  step?: string;
  /** A paid answer that could not be stored: the one payload that is not small, for as long as the database is away. */
  kept?: unknown;
}
