import { useSyncExternalStore } from 'react';
import type { Body } from 'darkroom-client';
import { client } from '../../lib/client.ts';

type Request = Omit<Body<'/extract'>, 'file_id' | 'citations' | 'timeout'>;

/** One extraction that was started in this visit. */
export interface Run {
  key: number;
  fileId: string;
  state: 'waiting' | 'running' | 'accepted' | 'failed';
  extractionId?: string;
  error?: unknown;
}

/** Several at once, few enough for the request rate of the API. */
const AT_ONCE = 3;
/** Seconds for which a request waits; a longer extraction is followed on its page. */
const WAIT_SECONDS = 60;
const NETWORK_MS = 30_000;

let runs: readonly Run[] = [];
let lastKey = 0;
const listeners = new Set<() => void>();

function change(next: readonly Run[]): void {
  runs = next;
  for (const listener of listeners) listener();
}

const update = (key: number, part: Partial<Run>) =>
  change(runs.map((run) => (run.key === key ? { ...run, ...part } : run)));

/** The extractions of this visit, the newest first. They go on while other pages are shown. */
export function useRuns(): readonly Run[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => runs,
  );
}

/** Extracts from files. @returns each file's extraction, null if it failed; why is in its run */
export async function startRuns(
  request: Request,
  fileIds: readonly string[],
): Promise<readonly (string | null)[]> {
  const started = fileIds.map((fileId): Run => {
    lastKey += 1;
    return { key: lastKey, fileId, state: 'waiting' };
  });
  change([...started.toReversed(), ...runs]);
  const results = new Map<number, string | null>();
  const queue = [...started];
  const work = async () => {
    for (let run = queue.shift(); run; run = queue.shift()) results.set(run.key, await perform(request, run));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, started.length) }, work));
  return started.map(({ key }) => results.get(key) ?? null);
}

async function perform(request: Request, { key, fileId }: Run): Promise<string | null> {
  update(key, { state: 'running' });
  try {
    const { data } = await client.api.POST('/extract', {
      body: { ...request, file_id: fileId, citations: true, timeout: WAIT_SECONDS },
      timeoutMs: WAIT_SECONDS * 1000 + NETWORK_MS,
    });
    update(key, { state: 'accepted', extractionId: data.extraction_id });
    return data.extraction_id;
  } catch (error) {
    update(key, { state: 'failed', error });
    return null;
  }
}
