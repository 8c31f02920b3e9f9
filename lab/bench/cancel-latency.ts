import { setTimeout as delay } from 'node:timers/promises';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import { startUploadSession } from '../../services/upload-sessions/open-upload-session.ts';
import { openWorkerDeps } from '../../worker/deps.ts';
import { workerSettings } from './batch-session.ts';
import type { BenchContext } from './context.ts';
import { runWorkers } from './run-workers.ts';
import { smallPhotographs, storeSession } from './session-files.ts';
import { percentile, spread, goalResult } from './statistics.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../temporal/contract/upload-session.ts';

const FILES = 200;
/** More than one, because the 95th percentile of only seven rounds would be the maximum. */
const SESSIONS_A_ROUND = 3;
const WORKING_WITHIN_MS = 60_000;
const POLL_MS = 5;

/**
 * W3: the time from sending `POST /files/sessions/{id}/cancel` to the first read of the session's record with status
 * `cancelled`, while its 200 files are being processed.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const config = workerSettings(stack.env);
  const { deps, close } = await openWorkerDeps(config);
  const stopWorkers = await runWorkers(config, deps);
  const { api_url: baseUrl, api_key: apiKey } = stack.runInfo;
  const { api } = new Darkroom({ baseUrl, apiKey });
  try {
    const principal = await resolveApiKey(deps.orm.em.fork(), apiKey);
    const photographs = await smallPhotographs();
    const total = rounds * SESSIONS_A_ROUND;
    const times: number[] = [];
    // The first turn is a warm-up.
    for (let turn = 0; turn <= total; turn++) {
      progress(`cancellation ${turn} of ${total}`);
      const session = await storeSession(deps, principal, { photographs, count: FILES });
      await startUploadSession(deps.engine, session);
      await untilWorking(session.id);
      const elapsed = await timeCancellation(session.id);
      if (turn > 0) times.push(elapsed);
      // It ends as cancelled.
      await deps.engine.client.workflow
        .getHandle(UPLOAD_SESSION_WORKFLOWS.of(session.id))
        .result()
        .catch(() => undefined);
    }
    const slow = [percentile(times, 95)];
    return [
      `W3 time until the record of a session of ${FILES} files is cancelled (95th percentile of ${times.length}): ` +
        `${slow[0]?.toFixed(0)} ms, ${goalResult(slow, { most: 1000 })}`,
      `W3 … ${spread(times)} ms`,
    ];
  } finally {
    await stopWorkers();
    await close();
  }

  async function statusOf(id: string): Promise<{ status: string; completed_files: number }> {
    return (await api.GET('/files/sessions/{session_id}/status', { params: { path: { session_id: id } } }))
      .data;
  }

  async function untilWorking(id: string): Promise<void> {
    const deadline = Date.now() + WORKING_WITHIN_MS;
    for (;;) {
      if ((await statusOf(id)).completed_files > 0) return;
      if (Date.now() > deadline) throw new Error('no file of the session completed in time');
      await delay(POLL_MS);
    }
  }

  async function timeCancellation(id: string): Promise<number> {
    const began = performance.now();
    const path = { session_id: id };
    const cancelling = api.POST('/files/sessions/{session_id}/cancel', { params: { path } });
    while ((await statusOf(id)).status !== 'cancelled') await delay(POLL_MS);
    const elapsed = performance.now() - began;
    await cancelling;
    return elapsed;
  }
}
