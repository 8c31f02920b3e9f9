import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Darkroom } from '../../sdk/src/index.ts';
import type { BenchContext } from './context.ts';
import { goalResult } from './statistics.ts';
import { residentMib } from './upload-memory.ts';

const KEYS = 1_000_000;
const LINES_AT_ONCE = 10_000;
const WITHIN_MS = 20 * 60_000;

/** I1: memory growth of a worker that lists a million files of a manifest, and the time that takes. */
export async function run({ stack: startStack, progress }: BenchContext): Promise<string[]> {
  if (process.platform !== 'linux') return ['I1 skipped: it reads the memory of another process from /proc'];
  const stack = await startStack();
  const server = createServer((_request, response) => void Readable.from(manifest()).pipe(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await stack.start('worker');
    const { api_key: apiKey, api_url: baseUrl } = stack.runInfo;
    const { api } = new Darkroom({ apiKey, baseUrl });
    const pid = stack.pid('worker') ?? NaN;
    const start = residentMib(pid);
    let peak = start;
    const began = Date.now();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
    const { data } = await api.POST('/imports', { body: { source: { type: 'manifest', url } } });
    const params = { path: { import_id: data.id } };
    for (;;) {
      await delay(250);
      peak = Math.max(peak, residentMib(pid));
      const { data: record } = await api.GET('/imports/{import_id}', { params });
      progress(`${record.found} found, ${Math.round(peak)} MiB`);
      if (record.listed) break;
      if (record.reason) throw new Error(record.reason.message);
      if (Date.now() - began > WITHIN_MS) throw new Error('the listing takes too long');
    }
    const seconds = Math.round((Date.now() - began) / 1000);
    await api.POST('/imports/{import_id}/cancel', { params });
    return [
      `I1 peak RSS of a worker while it lists ${KEYS} files: ${Math.round(peak)} MiB, ${Math.round(peak - start)} more than at rest, ${goalResult([peak - start], { most: 250 })}`,
      `I1 … in ${seconds} s`,
    ];
  } finally {
    server.closeAllConnections();
    server.close();
    await stack.kill('worker', 'SIGTERM');
  }
}

/** URLs of files of which nothing is fetched. */
function* manifest(): Generator<string> {
  for (let at = 0; at < KEYS; at += LINES_AT_ONCE) {
    const lines = Array.from(
      { length: LINES_AT_ONCE },
      (_, i) => `{"url":"http://127.0.0.1:9/${at + i}.jpg"}\n`,
    );
    yield lines.join('');
  }
}
