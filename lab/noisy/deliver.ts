import { setTimeout as delay } from 'node:timers/promises';
import { expectStatus, type Http, type Json } from '../shared/http.ts';
import type { NamedFile } from './hostile-files.ts';

const POLL_MS = 250;

/** A file that has ended. */
export interface Ended {
  kind: string;
  /** Time from the first byte sent to the terminal status. */
  ms: number;
  /** `completed`, or the error codes of the failed components. */
  outcome: string;
}

/** Uploads a file. Returns its id. */
export async function upload(http: Http, { name, bytes }: NamedFile): Promise<string> {
  const source = new Blob([Buffer.from(bytes)]);
  // The API refuses to stream videos.
  const directOverBytes = name.endsWith('.mp4') ? 0 : Infinity;
  const uploaded = await http.runWithRetries(`the upload of ${name}`, (options) =>
    http.client.upload(source, { ...options, filename: name, directOverBytes }),
  );
  return uploaded.file_id;
}

/** The outcome of a file; undefined until it has ended. */
export async function outcomeOf(http: Http, fileId: string): Promise<string | undefined> {
  const answer = await http.sendWithRetries('GET', `/files/uploads-status/${fileId}`);
  if (!expectStatus(answer, 200, 'the status of a file').is_terminal) return undefined;
  const file = expectStatus(
    await http.sendWithRetries('GET', `/files/${fileId}/timeline`),
    200,
    'a timeline',
  );
  const codes = new Set<string>();
  for (const run of file.runs as Json[])
    for (const step of run.steps as Json[])
      if (step.outcome === 'failed' && step.error) codes.add(step.error.code as string);
  return codes.size === 0 ? 'completed' : [...codes].join(', ');
}

/** Uploads a file and waits until it has ended. */
export async function process(http: Http, file: NamedFile, signal: AbortSignal): Promise<Ended> {
  const began = performance.now();
  const fileId = await upload(http, file);
  for (;;) {
    const outcome = await outcomeOf(http, fileId);
    if (outcome !== undefined) return { kind: file.kind, ms: performance.now() - began, outcome };
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Calls `work` with each item, with limited concurrency. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<void>,
) {
  const rest = [...items];
  const lane = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
