import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Body, Darkroom } from '../../sdk/src/index.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { connectBucket } from '../shared/source-bucket.ts';
import type { BenchContext } from './context.ts';
import { goalResult } from './statistics.ts';
import { residentMib } from './upload-memory.ts';

const FILES = 1_000_000;
const LINES_AT_ONCE = 10_000;
const WITHIN_MS = 20 * 60_000;

/** I1: memory growth of a worker that lists a manifest of a million files, and a bucket of as many, and the time that takes. */
export async function run({ stack: startStack, progress }: BenchContext): Promise<string[]> {
  if (process.platform !== 'linux') return ['I1 skipped: it reads the memory of another process from /proc'];
  const stack = await startStack();
  const server = createServer((request, response) => {
    if (request.url === '/list') Readable.from(manifest()).pipe(response);
    else listBucket(new URL(request.url ?? '', 'http://bucket'), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const url = `${endpoint}/list`;
    const address = { bucket_name: 'endless', region: 'us-east-1', endpoint };
    const bucket = await connectBucket(stack, address);
    return [
      ...(await measure(stack, { type: 'manifest', url }, `${FILES} rows of a manifest`, progress)),
      ...(await measure(stack, bucket, `${FILES} keys of a bucket`, progress)),
    ];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function measure(
  stack: Stack,
  source: Body<'/imports'>['source'],
  what: string,
  progress: (text: string) => void,
): Promise<string[]> {
  await stack.start('worker');
  try {
    const { api_key: apiKey, api_url: baseUrl } = stack.runInfo;
    const { api } = new Darkroom({ apiKey, baseUrl });
    const pid = stack.pid('worker') ?? NaN;
    const start = residentMib(pid);
    let peak = start;
    const began = Date.now();
    const { data } = await api.POST('/imports', { body: { source, concurrency: 16 } });
    const params = { path: { import_id: data.id } };
    for (;;) {
      await delay(250);
      peak = Math.max(peak, residentMib(pid));
      const { data: record } = await api.GET('/imports/{import_id}', { params });
      progress(`${record.found} of ${what}, ${Math.round(peak)} MiB`);
      if (record.listed) break;
      if (record.reason) throw new Error(record.reason.message);
      if (Date.now() - began > WITHIN_MS) throw new Error('the listing takes too long');
    }
    const seconds = Math.round((Date.now() - began) / 1000);
    await api.POST('/imports/{import_id}/cancel', { params });
    return [
      `I1 peak RSS of a worker while it lists ${what}: ${Math.round(peak)} MiB, ${Math.round(peak - start)} more than at rest, ${goalResult([peak - start], { most: 250 })}`,
      `I1 … in ${seconds} s, ${Math.round(FILES / seconds)} a second`,
    ];
  } finally {
    await stack.kill('worker', 'SIGTERM');
    while (stack.pid('worker') !== undefined) await delay(50);
  }
}

/** URLs of files of which nothing is fetched. */
function* manifest(): Generator<string> {
  for (let at = 0; at < FILES; at += LINES_AT_ONCE) {
    const lines = Array.from(
      { length: LINES_AT_ONCE },
      (_, i) => `{"url":"http://127.0.0.1:9/${at + i}.jpg"}\n`,
    );
    yield lines.join('');
  }
}

/** A page of empty objects, which are skipped as they are listed: its listing waits for what is to be imported. */
function listBucket({ searchParams }: URL, response: ServerResponse): void {
  const first = Number(searchParams.get('continuation-token') ?? 0);
  const next = Math.min(FILES, first + Number(searchParams.get('max-keys') ?? 1000));
  const objects = Array.from({ length: next - first }, (_, i) => {
    const key = `photographs/2026/${String(first + i).padStart(9, '0')}.jpg`;
    return `<Contents><Key>${key}</Key><Size>0</Size><ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag></Contents>`;
  });
  const more = next < FILES;
  response.end(
    `<ListBucketResult><IsTruncated>${more}</IsTruncated>${objects.join('')}` +
      `${more ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}</ListBucketResult>`,
  );
}
