import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { EntityManager } from '@mikro-orm/postgresql';
import { TypedSearchAttributes } from '@temporalio/common';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import { EngineUnavailable, type Engine } from '../../../temporal/client.ts';
import {
  ABORT_REQUESTED,
  COMPLETE_REQUESTED,
  DIRECT_UPLOAD,
  type DirectUploadInput,
  type UploadUnifiedStatus,
} from '../../../temporal/contract/direct-upload.ts';
import { directUploadWorkflowId } from '../../../temporal/contract/ids.ts';
import { PRIORITIES, QUEUES } from '../../../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../../../temporal/contract/search-attributes.ts';

/** An answer may be delayed by this much; after that the sweep tells the engine. */
const TELL_DEADLINE_MS = 1000;

/**
 * Tells the engine where an intent stands: that it exists, is to be verified, or is to be cleaned away. Safe to repeat,
 * from any number of processes at once; each message starts the workflow if it is not there.
 *
 * @returns `ended` when its workflow has ended before, so that nobody took the message; `unreachable` when the engine
 *   did not answer, and the sweep will tell it again
 */
export async function startOrSignalDirectUpload(
  { em, engine }: { em: EntityManager; engine: Engine },
  intent: UploadIntent,
): Promise<'told' | 'ended' | 'unreachable'> {
  try {
    if (intent.status !== 'COMPLETED')
      await engine.within(TELL_DEADLINE_MS, (client) => send(client, intent));
  } catch (error) {
    if (error instanceof EngineUnavailable) return 'unreachable';
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (isIntentOpen(intent.status)) return 'ended';
    // Its workflow will clean nothing any more; the sweep does.
    await em.nativeUpdate(UploadIntent, { id: intent.id }, { cleanAt: new Date() });
  }
  // Not when the row has moved on meanwhile: then there is something newer to tell.
  const { id, status, completeRequestedAt } = intent;
  await em.nativeUpdate(UploadIntent, { id, status, completeRequestedAt }, { signalledAt: new Date() });
  return 'told';
}

async function send(client: Engine['client'], intent: UploadIntent): Promise<void> {
  const input: DirectUploadInput = {
    uploadId: intent.id,
    tenantId: intent.tenantId,
    expiresAt: intent.expiresAt.toISOString(),
  };
  const options = {
    workflowId: directUploadWorkflowId(intent.id),
    taskQueue: QUEUES.workflows,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    priority: { priorityKey: PRIORITIES.normal, fairnessKey: intent.tenantId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: SEARCH_ATTRIBUTES.tenantId, value: intent.tenantId },
      { key: SEARCH_ATTRIBUTES.mediaType, value: intent.mediaType },
      { key: SEARCH_ATTRIBUTES.unifiedStatus, value: 'uploading' satisfies UploadUnifiedStatus },
      ...(intent.sessionId ? [{ key: SEARCH_ATTRIBUTES.sessionId, value: intent.sessionId }] : []),
    ]),
    staticSummary: `${intent.contentType}, ${intent.sizeBytes} bytes, ${intent.mode}`,
  };
  const signal = !isIntentOpen(intent.status)
    ? ABORT_REQUESTED
    : intent.completeRequestedAt && COMPLETE_REQUESTED;
  if (signal) await client.workflow.signalWithStart(DIRECT_UPLOAD, { ...options, signal });
  else await client.workflow.start(DIRECT_UPLOAD, options);
}
