import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

/** Runs a program whose event loop may be blocked for at most three seconds. */
async function watched(program: string): Promise<{ printed: string; code: unknown; signal: unknown }> {
  const module = new URL('../../../adapters/loop-watch/watch-loop.ts', import.meta.url).href;
  const source = `
  (async () => {
    const { watchLoop } = await import(${JSON.stringify(module)});
    watchLoop({ level: 'info', base: { service: 'watched' } }, 3);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    ${program}
  })();`;
  const child = spawn(process.execPath, ['--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { printed, code, signal };
}

test('a process whose event loop is blocked reports it and exits', async () => {
  const { printed, signal } = await watched(`/^(a+)+$/.test('a'.repeat(60) + 'b');`);
  assert.equal(signal, 'SIGKILL');
  const { level, service, msg } = JSON.parse(printed) as Record<string, unknown>;
  assert.deepEqual([level, service], [60, 'watched']);
  assert.match(String(msg), /stood still for 3 seconds/);
});

test('a process that yields between work runs to its end', async () => {
  const { printed, code } = await watched(`
    for (let round = 0; round < 6; round += 1) {
      for (const until = performance.now() + 400; performance.now() < until;);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }`);
  assert.deepEqual([printed, code], ['', 0]);
});
