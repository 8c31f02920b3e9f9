import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { FailureReason } from '../domain/components.ts';
import {
  ABORT_REQUESTED,
  COMPLETE_REQUESTED,
  type DirectUploadInput,
  type DirectUploadResult,
  type UploadUnifiedStatus,
  type VerificationOutcome,
} from '../temporal/contract/direct-upload.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../temporal/contract/search-attributes.ts';
import { quickIo, verification } from './activity-options.ts';
import { endAsFailed } from './end-as-failed.ts';

/** A client may complete unsuccessfully any number of times; this bounds the history of one run. */
const VERIFICATIONS_A_RUN = 100;

const completeRequested = defineSignal(COMPLETE_REQUESTED);
const abortRequested = defineSignal(ABORT_REQUESTED);

const CANCELLED = { code: 'CANCELLED', message: 'the workflow of this upload was cancelled' };
const REFUSED = {
  code: 'UPLOAD_REFUSED',
  message: 'the uploaded bytes were refused; the upload has the reason',
};

/**
 * One direct upload: waits for its client's completion, verifies the uploaded bytes, and ends with the upload
 * completed, aborted or expired. The row decides races between these; the workflow only carries out the result.
 */
export async function directUpload(input: DirectUploadInput): Promise<DirectUploadResult> {
  const { uploadId, tenantId, expiresAt } = input;
  const target = { uploadId, tenantId };
  const { verifyUpload, expireUpload, failUpload, cleanUpload } = createSteps(tenantId);
  let requested = input.completeRequested ?? false;
  let aborted = false;
  let verifying: CancellationScope | undefined;
  let shown: UploadUnifiedStatus = 'uploading';
  setHandler(completeRequested, () => void (requested = true));
  setHandler(abortRequested, () => {
    aborted = true;
    verifying?.cancel();
  });

  let cancellation: unknown;
  let failure: FailureReason | undefined;
  try {
    for (let verified = 0; ; verified++) {
      show('uploading', `Waiting for the bytes until ${expiresAt}.`);
      if (!requested && !aborted) await condition(() => requested || aborted, untilExpiry());
      if (aborted) break;
      if (!requested && (await expireUpload(target)) === 'ended') break;
      if (verified === VERIFICATIONS_A_RUN) {
        return await continueAsNew<typeof directUpload>({ ...input, completeRequested: true });
      }
      requested = false;
      const outcome = await verify();
      if (outcome === 'closed') failure = REFUSED;
      if (outcome !== 'reopened') break;
    }
  } catch (error) {
    if (isCancellation(error)) cancellation = error;
    else if (!(error instanceof ActivityFailure)) throw error;
    // Recorded with the upload for its readers; one that has already ended keeps its own reason.
    const reason = cancellation ? CANCELLED : failureReason(error);
    await CancellationScope.nonCancellable(() => failUpload(target, reason));
    failure = reason;
  }
  setCurrentDetails('Cleaning up.');
  const status = await CancellationScope.nonCancellable(() => cleanUpload(target));
  const end = status === 'COMPLETED' ? 'completed' : 'failed';
  show(end, `Ended: ${end}.`);
  if (cancellation) throw cancellation;
  // One that was aborted or has expired is not a failure.
  if (failure && status === 'FAILED' && !aborted) endAsFailed(failure);
  return { status };

  function untilExpiry(): number {
    return Math.max(1, Date.parse(expiresAt) - Date.now());
  }

  function show(status: UploadUnifiedStatus, details: string): void {
    setCurrentDetails(details);
    if (status === shown) return;
    shown = status;
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.unifiedStatus, value: status }]);
  }

  async function verify(): Promise<VerificationOutcome> {
    show('confirming', 'Verifying size, SHA-256 and type.');
    verifying = new CancellationScope();
    try {
      return await verifying.run(() => verifyUpload(target));
    } catch (error) {
      if (aborted && isCancellation(error)) return 'closed';
      throw error;
    } finally {
      verifying = undefined;
    }
  }
}

function createSteps(tenantId: string) {
  const prioritised = {
    taskQueue: QUEUES.io,
    priority: taskPriority('normal', tenantId),
  };
  const { verifyUpload } = proxyActivities<Activities>({
    ...verification,
    ...prioritised,
    summary: 'Size, SHA-256 and type',
  });
  const { expireUpload, failUpload, cleanUpload } = proxyActivities<Activities>({
    ...quickIo,
    ...prioritised,
  });
  return { verifyUpload, expireUpload, failUpload, cleanUpload };
}
