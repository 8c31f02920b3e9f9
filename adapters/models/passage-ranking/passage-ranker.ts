import { createCallHost } from '../../../engines/hosts/call-host.ts';
import { HostEnded } from '../../../engines/hosts/host.ts';
import { findModel } from '../../../engines/models/catalogue.ts';
import type { OnnxConfig } from '../../../engines/onnx/config.ts';
import { startModelThread } from '../../../engines/onnx/run-guard.ts';
import { createSemaphore } from '../../semaphore.ts';
import { ModelError } from '../model-error.ts';
import type { RankingReply, RankingRequest } from './thread.ts';

/** Judges pairs of a question and a text. */
export interface PassageRanker {
  /**
   * How surely each text answers a question, 0–1, in order; undefined without the model. Of long texts the beginning is
   * read. A pair takes 15 to 90 ms of CPU.
   *
   * @param texts a few; callers bound their number
   * @throws ModelError where the model cannot be run, and the reason of the signal
   */
  rate(question: string, texts: readonly string[], signal: AbortSignal): Promise<number[] | undefined>;
  close(): Promise<void>;
}

/** Texts per request, so that an aborted question soon makes room for the next one. */
const TEXTS_A_REQUEST = 4;
/** A thread that takes longer for one request, also to load its model first, is considered hung. */
const ANSWERS_WITHIN_MS = 60_000;
const MODULE = new URL('./thread.ts', import.meta.url);

/** Runs the model of the service in a thread, which starts with the first question after the model has been fetched. */
export function createPassageRanker(config: Pick<OnnxConfig, 'MODELS_DIR' | 'MODEL_FOLDER'>): PassageRanker {
  const calls = createCallHost<RankingRequest, RankingReply>(
    () => startModelThread({ module: MODULE, quiet: true }),
    ANSWERS_WITHIN_MS,
  );
  const turns = createSemaphore(1);

  async function request(given: RankingRequest, signal: AbortSignal): Promise<readonly number[]> {
    await turns.acquire(signal);
    const reply = await calls
      .call(given)
      .catch((error: unknown) => {
        if (error instanceof HostEnded) return { unusable: String(error) };
        throw error;
      })
      .finally(() => turns.release());
    if ('scores' in reply) return reply.scores;
    const cause = new Error(`${given.folder}: ${reply.unusable}`);
    throw new ModelError('MODEL_UNAVAILABLE', 'the model that ranks passages cannot be run', { cause });
  }

  return {
    async rate(question, texts, signal) {
      const folder = findModel('passage-ranking', config);
      if (folder === undefined) return undefined;
      const scores: number[] = [];
      for (let first = 0; first < texts.length; first += TEXTS_A_REQUEST) {
        const some = texts.slice(first, first + TEXTS_A_REQUEST);
        scores.push(...(await request({ folder, question, texts: some }, signal)));
      }
      return scores;
    },
    close: () => calls.kill(),
  };
}
