import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import {
  SESSION_SIGNALS,
  STALE_AFTER_MS,
  type BatchSessionInput,
  type BatchSessionResult,
  type SessionFile,
} from '../../temporal/contract/batch-session.ts';
import { isAlreadyStarted } from '../../temporal/contract/failures.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { createProjection } from './projection.ts';
import { SessionRun } from './session-run.ts';
import { runFile } from './run-file.ts';
import { tellPaused } from './tell-paused.ts';

/** How long to believe that nothing has changed, when only the row can tell. */
const LOOK_AGAIN_MS = 10_000;

/**
 * One upload session: starts its files as they come, some at a time, holds them while it is paused, and closes its
 * record when all have ended. What it is told by signal it would also find in the row, where it looks whenever it
 * cannot know better.
 */
export async function batchSession(input: BatchSessionInput): Promise<BatchSessionResult> {
  const run = new SessionRun();
  const record = createProjection(input);
  const work = new CancellationScope();
  const staleAfterMs = input.staleAfterMs ?? STALE_AFTER_MS;
  let lastArrival = Date.now();

  // Signals, not updates: whoever sends them has already committed the row and has nothing to wait for.
  setHandler(defineSignal<[SessionFile[]]>(SESSION_SIGNALS.filesStored), (files) => {
    lastArrival = Date.now();
    run.stored(files);
  });
  setHandler(defineSignal(SESSION_SIGNALS.sessionChanged), () => void (run.stale = true));
  setHandler(defineSignal<[string]>(SESSION_SIGNALS.fileSettled), (fileId) => {
    run.settled(fileId);
    // It may have been opened again since.
    run.stale = true;
  });

  const clock = new CancellationScope();
  clock.run(() => sealWhenStale()).catch(ignoreCancellation);
  try {
    while (!(run.finished && (await closed()))) {
      if (run.stale) await look();
      await tellFiles();
      for (const file of run.startable()) start(file);
      setCurrentDetails(run.describe());
      const news = () => run.stale || run.finished || run.startable().length > 0 || run.untold().length > 0;
      // Nobody moves in a paused session, and whoever ends it or lets it go on says so.
      const sure = !run.waitsElsewhere || (run.paused && patched('no-look-while-paused'));
      if (sure) await condition(news);
      else if (!(await condition(news, LOOK_AGAIN_MS))) run.stale = true;
    }
    if (!run.open) await stopFiles();
    return run.result();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await record.cancel();
      await stopFiles();
    });
    throw error;
  } finally {
    clock.cancel();
  }

  async function look(): Promise<void> {
    run.stale = false;
    const { view, files } = await record.look();
    run.looked(view, files);
  }

  /** The row has the last word: it may know of files that we do not, or that run again. */
  async function closed(): Promise<boolean> {
    if (!run.open || (await record.close())) return true;
    await look();
    if (run.finished) await condition(() => run.stale, LOOK_AGAIN_MS);
    return false;
  }

  function start(file: SessionFile): void {
    run.started(file.fileId);
    work
      .run(() => runFile(input, file, () => run.began(file.fileId)))
      .then(
        () => run.settled(file.fileId, file.generation),
        (error: unknown) => {
          if (isAlreadyStarted(error)) run.startedElsewhere(file.fileId);
          // Cancelled, terminated or failed: the file's own record says so, or will when the reconciler was there.
          else run.settled(file.fileId, file.generation);
        },
      );
  }

  /** A pause, or its end, reaches what is under way. */
  async function tellFiles(): Promise<void> {
    const untold = run.untold();
    if (untold.length === 0) return;
    const { paused } = run;
    for (const { fileId } of untold) run.told(fileId, paused);
    // Before, a pause held back only what had not started.
    if (!patched('pause-reaches-files')) return;
    await Promise.all(untold.map((file) => tellPaused(file, paused)));
  }

  /** What is under way stops at its next safe point; what is done stays. */
  async function stopFiles(): Promise<void> {
    work.cancel();
    await Promise.allSettled(
      run.elsewhere.map((fileId) => getExternalWorkflowHandle(fileWorkflowId(fileId)).cancel()),
    );
    await condition(() => !run.working);
  }

  /** A session whose client or API is gone is sealed, so that it can end. */
  async function sealWhenStale(): Promise<void> {
    for (;;) {
      const idle = Date.now() - lastArrival;
      if (run.sealed) return;
      if (idle >= staleAfterMs) {
        await record.expire();
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
