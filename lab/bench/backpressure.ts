import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { BenchContext } from './context.ts';
import { percentile, spread, goalResult } from './statistics.ts';

const REQUESTS = 300;
const BODY_BYTES = 50 * 1024 * 1024;
/** More uploads than an account may have open, regardless of the buffer size. */
const MOST_OPEN = 1_000;
const HELD_AT_ONCE = 10;
const SETTLED_MS = 500;

/**
 * P3: the time from sending the headers of an upload to the 429, while other uploads fill the account's memory. The
 * body is never sent: the decision is made before any of it is read.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const figures: number[] = [];
  const all: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      // The API aborts uploads that stall for too long, so each round opens its own.
      const open = await fillMemory(stack);
      const times: number[] = [];
      for (let i = 0; i < REQUESTS; i++) times.push(await timeRefusal(stack, agent));
      for (const upload of open) upload.destroy();
      if (round === 0) continue;
      figures.push(percentile(times, 99));
      all.push(...times);
    }
    return [
      `P3 time from the headers of an upload to the 429, 99th percentile of ${REQUESTS}: ${spread(figures, 1)} ms, ${goalResult(figures, { most: 10 })}`,
      `P3 … ${spread(all, 1)} ms; 0 bytes of the body were sent`,
    ];
  } finally {
    agent.destroy();
  }
}

/** Starts uploads without sending their bodies until there is no memory for another. */
async function fillMemory(stack: Stack): Promise<ClientRequest[]> {
  const agent = new Agent({ keepAlive: false });
  const open: ClientRequest[] = [];
  const refused = new AbortController();
  while (!refused.signal.aborted) {
    if (open.length > MOST_OPEN)
      throw new Error('the API accepted all uploads without reporting that its memory is full');
    for (let i = 0; i < HELD_AT_ONCE; i++) {
      const upload = begin(stack, agent);
      upload.once('response', () => refused.abort());
      open.push(upload);
    }
    await delay(SETTLED_MS);
  }
  return open;
}

async function timeRefusal(stack: Stack, agent: Agent): Promise<number> {
  const answered = Promise.withResolvers<IncomingMessage>();
  const began = performance.now();
  const upload = begin(stack, agent);
  upload.once('response', answered.resolve).once('error', answered.reject);
  const answer = await answered.promise;
  const elapsed = performance.now() - began;
  if (answer.statusCode !== 429) throw new Error(`the API answered ${answer.statusCode} instead of 429`);
  upload.destroy();
  return elapsed;
}

/** Starts an upload and sends only its headers. */
function begin(stack: Stack, agent: Agent): ClientRequest {
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const upload = request(`${apiUrl}/files/upload`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': BODY_BYTES,
    },
  });
  // Destroying an open upload emits an error.
  upload.on('error', () => undefined);
  upload.flushHeaders();
  return upload;
}
