import { entries, isTerminal, type Components } from './components.ts';

export const PRIMARY_STATUSES = [
  'pending',
  'processing',
  'completed',
  'failed',
  'partially_completed',
] as const;
/** The single status to poll until the file is done. */
export type PrimaryStatus = (typeof PRIMARY_STATUSES)[number];

/** Status of a file for operators' filters (search attribute `UnifiedStatus`). */
export type UnifiedStatus = 'queued' | 'processing' | 'completed' | 'failed' | 'partially_completed';

/**
 * The primary status of a file, derived only from its components.
 *
 * Components skipped by request, or because a dependency failed, do not count; those skipped by a cancellation count as
 * not completed. A completed component with a missing part makes the file partially completed.
 */
export function primaryStatus(components: Components): PrimaryStatus {
  const counted = entries(components)
    .map(([, state]) => state)
    .filter((state) => state.status !== 'skipped' || state.cause === 'cancelled');
  if (counted.length === 0) return 'completed';
  if (counted.every((state) => state.status === 'pending')) return 'pending';
  if (counted.some((state) => !isTerminal(state.status))) return 'processing';
  const completed = counted.filter((state) => state.status === 'completed').length;
  const whole = counted.filter((state) => state.status === 'completed' && !state.error).length;
  if (whole === counted.length) return 'completed';
  return completed === 0 ? 'failed' : 'partially_completed';
}

/** Statuses that still change without a request. */
export const OPEN_STATUSES = ['pending', 'processing'] as const satisfies PrimaryStatus[];

export function isTerminalPrimary(status: PrimaryStatus): boolean {
  return !(OPEN_STATUSES as readonly PrimaryStatus[]).includes(status);
}

/** `queued` until a component runs or has ended, then the primary status. */
export function unifiedStatus(components: Components): UnifiedStatus {
  const status = primaryStatus(components);
  if (status === 'pending') return 'queued';
  if (status !== 'processing') return status;
  const begun = entries(components).some(
    ([, state]) => state.status === 'processing' || state.endedAt !== undefined,
  );
  return begun ? 'processing' : 'queued';
}
