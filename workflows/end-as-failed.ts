import { patched } from '@temporalio/workflow';
import type { FailureReason } from '../domain/components.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';

/**
 * Ends a workflow whose work has failed, and is recorded as failed: in the lists of the engine it is `Failed`, not `Completed`.
 * Not a warning there: content and servers of others fail as well. Returns in a run of an earlier version.
 *
 * @throws ApplicationFailure with the reason
 */
export function endAsFailed({ code, message }: FailureReason, details?: unknown): void {
  if (patched('failed-in-engine')) throw permanentFailure(code, message, { expected: true, details });
}
