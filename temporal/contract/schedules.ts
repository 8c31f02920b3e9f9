export const SCHEDULE_PREFIX = 'schedule/';
/** Schedule ids; the runs they start carry the same prefix. */
export const SCHEDULE_IDS = {
  dispatchPending: 'schedule/dispatch-pending',
  reconcileStale: 'schedule/reconcile-stale',
  purge: 'schedule/purge',
  maintainUsageTables: 'schedule/maintain-usage-tables',
} as const;

/**
 * `dispatchPending`, id `schedule/dispatch-pending-{time}`, queue `workflows`: searches for rows that are due, every SWEEP_SECONDS, and
 * continues as new, so that it is always running. Its schedule starts it where it is not.
 */
export interface DispatchPendingInput {
  /** How long one run of it searches. */
  seconds: number;
}
