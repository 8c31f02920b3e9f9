import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

test('a worker stops on SIGTERM, even before it has reached the engine', async (t) => {
  const env = { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:1', WORKER_HEALTH_PORT: '0' };
  const worker = spawn(process.execPath, ['worker/main.ts', '--queues', 'io'], { env });
  t.after(() => worker.kill('SIGKILL'));
  const ended = once(worker, 'exit', { signal: AbortSignal.timeout(60_000) });
  let output = '';
  for await (const chunk of worker.stdout) {
    output += String(chunk);
    if (output.includes('cannot be reached')) break;
  }
  worker.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
