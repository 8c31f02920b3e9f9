/** Uses of models, for which credits are charged. `batch_describe` is `describe` for files of upload sessions. */
export const USAGE_OPERATIONS = [
  'describe',
  'batch_describe',
  'extract',
  'analyze',
  'digitize',
  'ask',
] as const;
export type UsageOperation = (typeof USAGE_OPERATIONS)[number];

/** Types of usage events: a request to the API, or an operation. */
export const USAGE_EVENT_TYPES = ['request', ...USAGE_OPERATIONS] as const;
export type UsageEventType = (typeof USAGE_EVENT_TYPES)[number];

/** Levels of thoroughness, for operations that have them. */
export const USAGE_LEVELS = ['quick', 'standard', 'thorough', 'critical'] as const;
export type UsageLevel = (typeof USAGE_LEVELS)[number];

/** The credits charged for one operation. */
export interface Charge {
  operation: UsageOperation;
  /** Null for operations without levels. */
  level: UsageLevel | null;
  credits: number;
}

/** Origin of a file; `analysis` is a request that waits for the description or polls its job. */
export type FileOrigin = 'upload' | 'session' | 'analysis';

export function totalCredits(charges: readonly Charge[]): number {
  return charges.reduce((sum, { credits }) => sum + credits, 0);
}
