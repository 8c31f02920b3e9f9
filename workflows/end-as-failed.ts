import { patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { FailureReason } from '../domain/components.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';
import { SEARCH_ATTRIBUTES } from '../temporal/contract/search-attributes.ts';

/**
 * Ends a workflow whose work has failed, and is recorded as failed: in the lists of the engine it is `Failed`, not `Completed`.
 * Not a warning there: content and servers of others fail as well. `UnifiedStatus` says so too, by which the
 * sweep tells it from a run that failed without recording it. Returns in a run of an earlier version.
 *
 * @throws ApplicationFailure with the reason
 */
export function endAsFailed({ code, message }: FailureReason, details?: unknown): void {
  if (!patched('failed-in-engine')) return;
  const key = SEARCH_ATTRIBUTES.unifiedStatus;
  if (workflowInfo().typedSearchAttributes.get(key) !== 'failed') {
    upsertSearchAttributes([{ key, value: 'failed' }]);
  }
  throw permanentFailure(code, message, { expected: true, details });
}
