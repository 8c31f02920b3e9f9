import { setTimeout as sleep } from 'node:timers/promises';
import type { RunInfo } from './api.ts';

const READERS = 4;
/** Of each reader between two requests. */
const BREATH_MS = 200;
const ANSWERED_WITHIN_MS = 30_000;

/** What the readers met. */
export interface Read {
  answered: number;
  /** Status, or the error of the connection, of each request that was not answered as asked. */
  refused: string[];
  /** Longest time in which no reader got what it asked for, up to the stop. */
  silentSeconds: number;
  /** Longest time of one request that was answered as asked. */
  longestSeconds: number;
}

/** A line of a report. */
export function describeReads({ answered, refused, silentSeconds, longestSeconds }: Read): string {
  return (
    `${answered} reads answered, ${refused.length} refused (${[...new Set(refused)].join(', ')}), ` +
    `the longest ${longestSeconds.toFixed(2)} s, ${silentSeconds.toFixed(2)} s without an answer`
  );
}

export interface SteadyReads {
  read: Read;
  /** Ends after the requests in progress. */
  stop(): Promise<void>;
}

/** Reads the list of files again and again, without a second attempt. */
export function startReads({ api_url, api_key }: Pick<RunInfo, 'api_url' | 'api_key'>): SteadyReads {
  const read: Read = { answered: 0, refused: [], silentSeconds: 0, longestSeconds: 0 };
  const over = new AbortController();
  let last = performance.now();
  const endSilence = () => {
    read.silentSeconds = Math.max(read.silentSeconds, (performance.now() - last) / 1000);
    last = performance.now();
  };
  const ask = async () => {
    const began = performance.now();
    try {
      const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
      const answer = await fetch(`${api_url}/files?limit=5`, { headers: { 'X-API-Key': api_key }, signal });
      await answer.arrayBuffer();
      if (!answer.ok) return void read.refused.push(String(answer.status));
      read.answered += 1;
      read.longestSeconds = Math.max(read.longestSeconds, (performance.now() - began) / 1000);
      endSilence();
    } catch (error) {
      const { name, cause } = error as Error;
      read.refused.push(cause instanceof Error ? cause.message : name);
    }
  };
  const readers = Array.from({ length: READERS }, async () => {
    while (!over.signal.aborted) {
      await ask();
      await sleep(BREATH_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  });
  return {
    read,
    async stop() {
      endSilence();
      over.abort();
      await Promise.all(readers);
    },
  };
}
