/** The module of the thread that judges pairs of a question and a text. */
import { join } from 'node:path';
import type { Numbered } from '../../../engines/hosts/call-host.ts';
import { loadRuntime, MODEL_SESSION } from '../../../engines/onnx/load.ts';
import { guarded } from '../../../engines/onnx/run-guard.ts';
import { readTokenizer } from '../../../engines/text-models/sentence-encoders.ts';

export interface RankingRequest {
  folder: string;
  question: string;
  texts: readonly string[];
}

/** `unusable`: the model cannot be loaded or run. */
export type RankingReply = { scores: number[] } | { unusable: string };
type Judge = (question: string, text: string) => Promise<number>;

/** Tokens of a pair; the end of a longer text is left out. */
const MOST_TOKENS = 256;
/** Longer texts are cut before they are divided into tokens. */
const MOST_CHARACTERS = 2000;
const END_OF_TEXT = 102;

let loaded: { folder: string; judge: Promise<Judge> } | undefined;

export async function handle({
  id,
  value: { folder, question, texts },
}: Numbered<RankingRequest>): Promise<Numbered<RankingReply>> {
  try {
    if (loaded?.folder !== folder) loaded = { folder, judge: load(folder) };
    const judge = await loaded.judge;
    const scores: number[] = [];
    for (const text of texts) scores.push(await judge(question, text));
    return { id, value: { scores } };
  } catch (error) {
    // The next call tries again: memory may have been short.
    loaded = undefined;
    return { id, value: { unusable: String(error).replaceAll(/\s+/g, ' ') } };
  }
}

/** ms-marco-MiniLM, which answers a logit. */
async function load(folder: string): Promise<Judge> {
  const { InferenceSession, Tensor } = await loadRuntime();
  const tokenizer = await readTokenizer(folder);
  const session = await guarded(() => InferenceSession.create(join(folder, 'model.onnx'), MODEL_SESSION));
  return async (question, text) => {
    const { ids, token_type_ids: types } = tokenizer.encode(question.slice(0, MOST_CHARACTERS), {
      text_pair: text.slice(0, MOST_CHARACTERS),
      return_token_type_ids: true,
    });
    const kept = ids.length > MOST_TOKENS ? [...ids.slice(0, MOST_TOKENS - 1), END_OF_TEXT] : ids;
    const tensor = (values: readonly number[]) =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
    const inputs = {
      input_ids: tensor(kept),
      attention_mask: tensor(kept.map(() => 1)),
      token_type_ids: tensor(types.slice(0, kept.length)),
    };
    const { logits } = await guarded(() => session.run(inputs));
    return 1 / (1 + Math.exp(-Number(logits?.data[0])));
  };
}
