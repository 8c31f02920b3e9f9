import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import {
  REFRESH_EVERY_MS,
  UPLOAD_SESSION_SIGNALS,
  STALE_AFTER_MS,
  type UploadSessionInput,
  type UploadSessionResult,
  type UploadSessionFile,
} from '../../temporal/contract/upload-session.ts';
import { createProjection } from './projection.ts';
import { runFile } from './run-file.ts';
import { UploadSessionRun } from './upload-session-run.ts';

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

  // Signals, not updates: senders have already committed the row and need no answer.
  setHandler(defineSignal<[UploadSessionFile[]]>(UPLOAD_SESSION_SIGNALS.filesStored), (files) => {
    lastArrival = Date.now();
    run.stored(files);
  });
  setHandler(defineSignal(UPLOAD_SESSION_SIGNALS.sessionChanged), () => void (run.stale = true));
  const reports = new Map<string, number>();
  setHandler(defineSignal<[string, number]>(UPLOAD_SESSION_SIGNALS.fileSettled), (fileId, generation) => {
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
      await condition(() => run.stale || run.finished || run.startable().length > 0);
    }
    if (!run.open) await stopFiles();
    return run.result();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await projection.cancel();
      await stopFiles();
    });
    throw error;
  } finally {
    clock.cancel();
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
