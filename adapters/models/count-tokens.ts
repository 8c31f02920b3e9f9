import { countTokens as count } from 'gpt-tokenizer';

/** Longer words would take the encoder minutes: its time grows with the square of a word's length. */
const LONG_WORD = /\S{500}/;

/** Tokens of a text by the encoding of current OpenAI models; names of special tokens count as text. */
export function countTokens(text: string): number {
  if (!LONG_WORD.test(text)) return countPlain(text);
  return (text.match(/\S{1,200}|\s+/g) ?? []).reduce((sum, part) => sum + countPlain(part), 0);
}

function countPlain(text: string): number {
  return count(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
}
