import { openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type * as OnnxRuntime from 'onnxruntime-node';
import { createTokenReader, TOKEN_WIDTH } from '../models/convert/use-multilingual.ts';
import { MODEL_SESSION } from '../onnx/load.ts';
import { guarded } from '../onnx/run-guard.ts';
import { createUnigramTokenizer } from './unigram-tokenizer.ts';

/** Embeds a text as a vector of length 1, or as an empty one if no token of it is known. For threads only: a session blocks its thread. */
export type SentenceEncoder = (text: string) => Promise<Float32Array>;

/** Tokens of a text; further ones are left out. A chunk of full length has fewer. */
const MOST_TOKENS = 256;
/** Longer texts are cut before they are divided into tokens. */
const MOST_CHARACTERS = 8000;
const END_OF_TEXT = 102;

/** all-MiniLM-L6-v2, for English. */
export async function loadMinilm(folder: string, runtime: typeof OnnxRuntime): Promise<SentenceEncoder> {
  const tokenizer = await readTokenizer(folder);
  const session = await guarded(() =>
    runtime.InferenceSession.create(join(folder, 'model.onnx'), MODEL_SESSION),
  );
  return async (text) => {
    const { ids } = tokenizer.encode(text.slice(0, MOST_CHARACTERS));
    const kept = ids.length > MOST_TOKENS ? [...ids.slice(0, MOST_TOKENS - 1), END_OF_TEXT] : ids;
    const tokens = new runtime.Tensor('int64', BigInt64Array.from(kept, BigInt), [1, kept.length]);
    return vectorOf(await guarded(() => session.run({ tokens })));
  };
}

/** Universal Sentence Encoder, multilingual: 16 languages in one space. */
export async function loadMultilingual(
  folder: string,
  runtime: typeof OnnxRuntime,
): Promise<SentenceEncoder> {
  const tokenize = createUnigramTokenizer(await readFile(join(folder, 'sp.model')));
  const session = await guarded(() =>
    runtime.InferenceSession.create(join(folder, 'model.onnx'), MODEL_SESSION),
  );
  // A text needs few rows of the table, of which the system keeps one copy for all processes.
  const table = openSync(join(folder, 'tokens'), 'r');
  const read = createTokenReader((into, place) => readSync(table, into, 0, into.byteLength, place));
  return async (text) => {
    const ids = tokenize(text.slice(0, MOST_CHARACTERS), MOST_TOKENS);
    if (ids.length === 0) return new Float32Array();
    const input = new Float32Array(ids.length * TOKEN_WIDTH);
    for (const [at, id] of ids.entries()) read(id, input.subarray(at * TOKEN_WIDTH));
    const tokens = new runtime.Tensor('float32', input, [ids.length, TOKEN_WIDTH]);
    return vectorOf(await guarded(() => session.run({ tokens })));
  };
}

/** The tokenizer of a folder. */
export async function readTokenizer(folder: string): Promise<Tokenizer> {
  const [model, settings] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json'].map(
      async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as object,
    ),
  );
  return new Tokenizer(model ?? {}, settings ?? {});
}

function vectorOf({ vector }: OnnxRuntime.InferenceSession.OnnxValueMapType): Float32Array {
  return vector?.data as Float32Array;
}
