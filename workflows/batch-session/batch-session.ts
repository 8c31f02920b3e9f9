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
  LOOK_EVERY_MS,
  SESSION_SIGNALS,
  STALE_AFTER_MS,
  type BatchSessionInput,
  type BatchSessionResult,
  type SessionFile,
} from '../../temporal/contract/batch-session.ts';
import { createProjection } from './projection.ts';
import { runFile } from './run-file.ts';
import { SessionRun } from './session-run.ts';

/**
 * One upload session: starts its files as they come, some at a time and none while it is paused, and closes its record
 * when all have ended. The row holds what was asked for; signals say that it has changed.
 */
export async function batchSession(input: BatchSessionInput): Promise<BatchSessionResult> {
  const run = new SessionRun();
  const projection = createProjection(input);
  const work = new CancellationScope();
  const staleAfterMs = input.staleAfterMs ?? STALE_AFTER_MS;
  let lastArrival = Date.now();

  // Signals, not updates: their senders have committed the row and have nothing to wait for.
  setHandler(defineSignal<[SessionFile[]]>(SESSION_SIGNALS.filesStored), (files) => {
    lastArrival = Date.now();
    run.stored(files);
  });
  setHandler(defineSignal(SESSION_SIGNALS.sessionChanged), () => void (run.stale = true));
  const reports = new Map<string, number>();
  setHandler(defineSignal<[string, number]>(SESSION_SIGNALS.fileSettled), (fileId, generation) => {
    reports.set(fileId, generation);
    run.settled(fileId, generation);
    // It may have been opened again since.
    run.stale = true;
  });

  const clock = new CancellationScope();
  clock.run(() => sealWhenStale()).catch(ignoreCancellation);
  clock.run(() => lookNowAndThen()).catch(ignoreCancellation);
  try {
    while (!(run.finished && (await closed()))) {
      if (run.stale) await look();
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

  async function look(): Promise<void> {
    run.stale = false;
    const { view, files } = await projection.look();
    run.looked(view, files);
  }

  /**
   * The row has the last word. It may know of files that run again, or show one as open whose run ended abnormally: the
   * reconciler writes that and signals it.
   */
  async function closed(): Promise<boolean> {
    if (!run.open || (await projection.close())) return true;
    await look();
    if (run.finished) await condition(() => run.stale);
    return false;
  }

  function start(file: SessionFile): void {
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

  /** What is under way stops at its next safe point; what is done stays. */
  async function stopFiles(): Promise<void> {
    work.cancel();
    while (run.working) {
      if (run.stale) await look();
      await condition(() => run.stale || !run.working);
    }
  }

  /** A signal can be lost with the history of the run that would have sent it. */
  async function lookNowAndThen(): Promise<void> {
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      run.stale = true;
    }
  }

  /** A session whose client or API is gone is sealed, so that it can end. */
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
