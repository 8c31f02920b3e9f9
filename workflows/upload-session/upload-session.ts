import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import {
  CANCEL_REQUEST_MS,
  IDLE_REFRESH_MS,
  REFRESH_EVERY_MS,
  STALE_AFTER_MS,
  UPLOAD_SESSION_SIGNALS,
  type UploadSessionFile,
  type UploadSessionInput,
  type UploadSessionResult,
  type UploadSessionView,
} from '../../temporal/contract/upload-session.ts';
import { runFile } from './run-file.ts';
import { UploadSessionRun } from './upload-session-run.ts';
import type { Activities } from '../../activities/index.ts';
import { QUEUES, taskPriority } from '../../temporal/contract/queues.ts';
import { localWrite, quickIo } from '../activity-options.ts';
import { withDurableFallback } from '../with-durable-fallback.ts';

type SessionActivities = Pick<
  Activities,
  'readUploadSession' | 'closeUploadSession' | 'expireUploadSession' | 'cancelUploadSession'
>;

// Signals, not updates: senders have already committed the row and need no answer.
const filesStored = defineSignal<[UploadSessionFile[]]>(UPLOAD_SESSION_SIGNALS.filesStored);
const sessionChanged = defineSignal(UPLOAD_SESSION_SIGNALS.sessionChanged);
const fileSettled = defineSignal<[string, number]>(UPLOAD_SESSION_SIGNALS.fileSettled);

/**
 * One upload session: starts its files as they arrive, a bounded number at a time and none while paused, and closes its
 * record when all have ended. The row holds the desired state; signals say that it has changed.
 */
export async function uploadSession(input: UploadSessionInput): Promise<UploadSessionResult> {
  const run = new UploadSessionRun();
  const projection = createProjection(input);
  const work = new CancellationScope();
  const staleAfterMs = input.staleAfterMs ?? STALE_AFTER_MS;
  let lastArrival = Date.now();
  let idleMs = IDLE_REFRESH_MS;

  setHandler(filesStored, (files) => {
    lastArrival = Date.now();
    run.stored(files);
  });
  setHandler(sessionChanged, () => void (run.stale = true));
  const reports = new Map<string, number>();
  setHandler(fileSettled, (fileId, generation) => {
    reports.set(fileId, generation);
    run.settled(fileId, generation);
    // The file may have been reopened since.
    run.stale = true;
  });

  const clock = new CancellationScope();
  clock.run(() => sealWhenStale()).catch(ignoreCancellation);
  clock.run(() => refreshPeriodically()).catch(ignoreCancellation);
  try {
    while (!(run.finished && (await closed()))) {
      if (run.stale) await refresh();
      for (const file of run.startable()) start(file);
      setCurrentDetails(run.describe());
      await somethingToDo();
    }
    if (!run.open) await stopFiles();
    // The engine learns of a cancellation after the row; then this throws.
    if (run.cancelled && patched('cancelled-in-engine')) await condition(() => false, CANCEL_REQUEST_MS);
    return run.result();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await projection.cancel();
      await stopFiles();
      setCurrentDetails(run.describeCancelled());
    });
    throw error;
  } finally {
    clock.cancel();
  }

  /** With nothing to run, what is missing may be news that was lost: the row is read again, less and less often. */
  async function somethingToDo(): Promise<void> {
    const any = () => run.stale || run.finished || run.startable().length > 0;
    if (any()) return;
    if (run.working) await condition(() => any() || !run.working);
    else if (idleMs >= REFRESH_EVERY_MS || !patched('idle-refresh')) await condition(any);
    else if (!(await condition(any, idleMs))) {
      idleMs *= 2;
      run.stale = true;
    }
  }

  async function refresh(): Promise<void> {
    run.stale = false;
    const { view, files } = await projection.read();
    run.refreshed(view, files);
  }

  /**
   * The row is authoritative. It may know of files that were retried, or show a file as open whose run ended abnormally
   * until the reconciler has written and signalled that.
   */
  async function closed(): Promise<boolean> {
    if (!run.open || (await projection.close())) return true;
    await refresh();
    if (run.finished) await condition(() => run.stale);
    return false;
  }

  function start(file: UploadSessionFile): void {
    const { fileId, generation } = file;
    run.started(fileId);
    idleMs = IDLE_REFRESH_MS;
    work
      .run(() => runFile(input, file, (milliseconds) => reportedEnd(fileId, milliseconds)))
      .then(() => run.settled(fileId, generation))
      .catch(ignoreCancellation);
  }

  async function reportedEnd(fileId: string, milliseconds?: number): Promise<number | undefined> {
    const reported = () => reports.has(fileId);
    await (milliseconds === undefined ? condition(reported) : condition(reported, milliseconds));
    const generation = reports.get(fileId);
    reports.delete(fileId);
    return generation;
  }

  /** Running files stop at their next safe point; completed work is kept. */
  async function stopFiles(): Promise<void> {
    work.cancel();
    while (run.working) {
      if (run.stale) await refresh();
      await condition(() => run.stale || !run.working);
    }
  }

  /** A signal can be lost with the history of the run that would have sent it. */
  async function refreshPeriodically(): Promise<void> {
    for (;;) {
      await sleep(REFRESH_EVERY_MS);
      run.stale = true;
    }
  }

  /** Seals a session whose client or API process is gone, so that it can end. */
  async function sealWhenStale(): Promise<void> {
    for (;;) {
      const idle = Date.now() - lastArrival;
      if (run.sealed) return;
      if (idle >= staleAfterMs) {
        await projection.expire();
        run.stale = true;
        return;
      }
      await sleep(staleAfterMs - idle);
    }
  }
}

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}

/** The workflow's access to the session's row. */
function createProjection({ sessionId, tenantId }: UploadSessionInput) {
  const local = proxyLocalActivities<SessionActivities>(localWrite);
  const durable = proxyActivities<SessionActivities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    priority: taskPriority('normal', tenantId),
    summary: 'Session record (database was slow to answer)',
  });
  const target = { sessionId, tenantId };
  const readPage = withDurableFallback(local.readUploadSession, durable.readUploadSession);
  const close = withDurableFallback(local.closeUploadSession, durable.closeUploadSession);
  const expire = withDurableFallback(local.expireUploadSession, durable.expireUploadSession);
  const cancel = withDurableFallback(local.cancelUploadSession, durable.cancelUploadSession);

  return {
    /** The current row, and all of its unfinished files. */
    async read(): Promise<{ view: Omit<UploadSessionView, 'files' | 'next'>; files: UploadSessionFile[] }> {
      const files: UploadSessionFile[] = [];
      let after: string | undefined;
      for (;;) {
        const { files: page, next, ...view } = await readPage(target, after);
        files.push(...page);
        if (next === undefined) return { view, files };
        after = next;
      }
    },
    /** Whether the session has a terminal status now. */
    close: () => close(target),
    /** Seals a session whose client or API process is gone. */
    expire: () => expire(target),
    cancel: () => cancel(target),
  };
}
