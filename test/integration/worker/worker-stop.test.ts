import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { freePort } from '../../support/free-port.ts';

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

test('a worker is ready only while the engine answers it', async (t) => {
  const [host = '', port = ''] = (process.env['TEMPORAL_ADDRESS'] ?? '').split(':');
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  const [relayed, health] = [await freePort(), await freePort()];
  const open = () => once(relay.listen(relayed, '127.0.0.1'), 'listening');
  const cut = () => {
    relay.close();
    for (const socket of sockets) socket.destroy();
  };
  await open();
  t.after(cut);
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: `127.0.0.1:${relayed}`,
    WORKER_HEALTH_PORT: String(health),
  };
  const worker = spawn(process.execPath, ['worker/main.ts', '--queues', 'imports'], { env, stdio: 'ignore' });
  t.after(() => worker.kill('SIGKILL'));
  const answers = (status: number, body: object) =>
    eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${health}/readyz`);
      assert.deepEqual([response.status, await response.json()], [status, body]);
    }, 60);
  const queues = { imports: 'RUNNING' };
  await answers(200, { status: 'ok', queues });
  cut();
  await answers(503, { status: 'the engine does not answer', queues });
  await open();
  await answers(200, { status: 'ok', queues });
});
