import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from './api.ts';

/** Another API process on the servers of the shared stack. */
export interface Replica {
  url: string;
  /** Stops it gracefully. Resolves when it has exited. */
  stop(): Promise<void>;
}

export async function startReplica(settings: Record<string, string> = {}): Promise<Replica> {
  const main = fileURLToPath(new URL('../../api/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  // A long deadline, since other replicas may be starting at the same time on two cores.
  const port = await eventually(async () => {
    const found = /"address":\{[^}]*"port":(\d+)/.exec(log)?.[1];
    assert.ok(found, log);
    return found;
  }, 120).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}/api/v2`,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
