import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { paintContent } from '../../lab/chaos/contents.ts';
import { ApiError, ConnectionError, type Darkroom } from '../../sdk/src/index.ts';

const SENDERS = 3;
/** Of each sender between two uploads, so that the load does not depend on the machine. */
const BREATH_MS = 500;
const RETRY_MS = 200;
const SEED = 51;
/** Of a service that drains, and of a proxy in front of it. */
const TEMPORARY = [502, 503, 504];

/** What the senders met. */
export interface Met {
  /** Every file, by its name. */
  acknowledged: Map<string, { file_id: string; sha256: string }>;
  /** Requests without an answer, or with one that says to try again. */
  refused: number;
  /** Longest time in which no upload was acknowledged, up to the stop. */
  silentSeconds: number;
}

export interface SteadyUploads {
  /** What the senders have met so far. */
  met: Met;
  /** Ends after the attempts in progress; what they did not get acknowledged is given up. Throws the error of a sender. */
  stop(): Promise<void>;
}

/** Uploads small documents and images, each until it is acknowledged, whatever happens to the servers. */
export function startUploads(client: Darkroom): SteadyUploads {
  const met: Met = { acknowledged: new Map(), refused: 0, silentSeconds: 0 };
  const over = new AbortController();
  let next = 0;
  let last = performance.now();
  const deliver = async (bytes: Uint8Array<ArrayBuffer>, filename: string): Promise<string | undefined> => {
    for (;;) {
      try {
        // Without an answer, a file may have been stored: the next attempt finds it by its content.
        const options = { filename, retries: 0, skip_duplicates: true, directOverBytes: Infinity };
        return (await client.upload(bytes, options)).file_id;
      } catch (error) {
        const temporary =
          error instanceof ConnectionError || (error instanceof ApiError && TEMPORARY.includes(error.status));
        if (!temporary) throw error;
        met.refused += 1;
        if (over.signal.aborted) return undefined;
        await sleep(RETRY_MS);
      }
    }
  };
  const endSilence = () => {
    met.silentSeconds = Math.max(met.silentSeconds, (performance.now() - last) / 1000);
    last = performance.now();
  };
  const send = async () => {
    while (!over.signal.aborted) {
      const index = next++;
      // A document takes many times the work of such an image.
      const isImage = index % 10 !== 0;
      const filename = `steady-${index}.${isImage ? 'png' : 'md'}`;
      const bytes = isImage
        ? (await paintContent(SEED, index, false)).bytes
        : Buffer.from(`# Page ${index}\n\nUploaded while the code was replaced.\n`);
      const file_id = await deliver(bytes, filename);
      if (file_id === undefined) return;
      met.acknowledged.set(filename, {
        file_id,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      endSilence();
      await sleep(BREATH_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  const sent = Promise.all(Array.from({ length: SENDERS }, send));
  // Otherwise an error before `stop` would end the process.
  sent.catch(() => undefined);
  return {
    met,
    async stop() {
      endSilence();
      over.abort();
      await sent;
    },
  };
}
