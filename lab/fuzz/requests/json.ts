import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import {
  byteEdits,
  type ByteEdits,
  type TokenEdits,
  mutateBytes,
  mutateText,
  tokenEdits,
} from '../mutate.ts';
import type { Part } from '../run-part.ts';
import { pathOf } from './operations.ts';
import { type Framing, framing } from './raw-http.ts';
import { type Addressed, addressed, requestPart, type Target } from './target.ts';

interface JsonInput extends Addressed {
  contentType: string;
  encoding: keyof typeof ENCODINGS;
  framing: Framing;
  /** Valid JSON in place of values. */
  values: Replacement[];
  tokens: TokenEdits;
  bytes: ByteEdits;
}

const JSON_TYPE = 'application/json';
/** The tokens of JSON, valid or not. */
export const JSON_TOKEN = /[{}[\],:]|"(?:\\.|[^"\\])*"|[^\s{}[\],:"]+/g;
const DEEP = 10_000;

/** What JSON parsers, and programs that trust them, handle differently. */
const VOCABULARY = [
  ...'{ } [ ] : , " null true {} [] "" /**/ NaN Infinity -0 1e999 -1 0x10 01 1. 9007199254740993'.split(' '),
  ...String.raw`"\ud800" "\udc00\ud800" "\u0000" "\x" "\u202e" "%00" "../../etc/passwd" "__proto__"`.split(
    ' ',
  ),
  '{"__proto__":{"role":"owner"}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '\u2028',
  '\uFEFF',
  '1'.repeat(400),
  `"${'a'.repeat(70_000)}"`,
  '['.repeat(DEEP),
  '{"a":'.repeat(DEEP),
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
];

interface Replacement {
  /** Position among the values, not counting keys, objects and arrays. */
  at: number;
  text: string;
}

const value = (): Arbitrary<string> =>
  fc.oneof(fc.json({ maxDepth: 3 }), fc.constantFrom(...VOCABULARY.filter((text) => isJson(text))));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Replaces values of a JSON text without white space. */
export function replaceValues(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((before, { at, text: replacement }) => {
    const tokens = before.match(JSON_TOKEN) ?? [];
    const values = tokens.flatMap((token, index) =>
      /^[{}[\],:]$/.test(token) || tokens[index + 1] === ':' ? [] : [index],
    );
    const replaced = values[at % values.length];
    return tokens.map((token, index) => (index === replaced ? replacement : token)).join('');
  }, text);
}

const unchanged = (body: Uint8Array): Uint8Array => body;
const ENCODINGS = {
  none: { coding: undefined, encode: unchanged },
  gzip: { coding: 'gzip', encode: gzipSync },
  deflate: { coding: 'deflate', encode: deflateSync },
  brotli: { coding: 'br', encode: brotliCompressSync },
  false: { coding: 'gzip', encode: unchanged },
} as const;

/**
 * Bodies made of the documented examples of JSON operations: other tokens, depth, repeated and special keys, numbers
 * out of range, lone surrogates, damaged UTF-8, other content types, compressed and wrongly declared.
 */
export function jsonPart(target: Target): Part<JsonInput> {
  const inputs = fc.record({
    ...addressed(target, JSON_TYPE),
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant(JSON_TYPE) },
      fc.constantFrom(
        'application/merge-patch+json',
        'application/json; charset=utf-16',
        'text/json',
        'json',
        '',
        'application/json; charset=\u00FF',
        'text/plain',
        'multipart/form-data',
      ),
    ),
    encoding: fc.oneof(
      { weight: 8, arbitrary: fc.constant('none' as const) },
      fc.constantFrom(...(Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[])),
    ),
    framing: framing(),
    values: fc.array(fc.record({ at: fc.nat(1000), text: value() }), { maxLength: 4 }),
    tokens: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, tokenEdits(VOCABULARY)),
    bytes: fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, byteEdits()),
  });
  return requestPart(target, 'json', inputs, (input, operation) => {
    const example: unknown = operation.bodies.get(JSON_TYPE)?.example ?? {};
    const text = mutateText(replaceValues(JSON.stringify(example), input.values), JSON_TOKEN, input.tokens);
    const { coding, encode } = ENCODINGS[input.encoding];
    return {
      target: target.prefix + pathOf(operation, target.fileId),
      headers: { 'Content-Type': input.contentType, ...(coding && { 'Content-Encoding': coding }) },
      body: encode(mutateBytes(Buffer.from(text), input.bytes)),
      framing: input.framing,
    };
  });
}
