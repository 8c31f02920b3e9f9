/** What models are used for, and what credits are charged for. `batch_describe` is `describe` for files of upload sessions. */
export const USAGE_OPERATIONS = ['describe', 'batch_describe', 'extract', 'analyze', 'digitize'] as const;
export type UsageOperation = (typeof USAGE_OPERATIONS)[number];

/** What a usage event is about: a request to the API, or an operation. */
export const USAGE_EVENT_TYPES = ['request', ...USAGE_OPERATIONS] as const;
export type UsageEventType = (typeof USAGE_EVENT_TYPES)[number];

/** How thorough an operation is, for those that have levels. */
export const USAGE_LEVELS = ['quick', 'standard', 'thorough', 'critical'] as const;
export type UsageLevel = (typeof USAGE_LEVELS)[number];

/** Credits of one operation. */
export interface Charge {
  operation: UsageOperation;
  /** Null for operations that have no levels. */
  level: UsageLevel | null;
  credits: number;
}

/** How a file came; `analysis` is a request that waits for its description, or polls its job. */
export type FileOrigin = 'upload' | 'session' | 'analysis';

export function totalCredits(charges: readonly Charge[]): number {
  return charges.reduce((sum, { credits }) => sum + credits, 0);
}
