import { deflateSync, inflateSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import {
  byteEdits,
  type ByteEdits,
  mutateBytes,
  mutateText,
  tokenEdits,
  type TokenEdits,
} from '../mutate.ts';
import type { Seed } from './seeds.ts';
import { readEntries, writeEntries } from './zip.ts';

/** How a file is changed: its bytes, its tokens as a text, or what it contains compressed. */
export interface Mutant {
  /** Position among the seeds. */
  seed: number;
  bytes: ByteEdits;
  tokens: TokenEdits;
  /** Position among the parts of an archive or the compressed streams of a PDF. */
  part: number;
  inside: TokenEdits;
}

const ARCHIVES = new Set(['docx', 'xlsx', 'pptx', 'epub', 'odt', 'ods', 'odp']);
/** Tags, and PDF's and text formats' words. */
const TOKEN = /<\/?[\w:.-]+|"[^"<>]*"|\/[A-Za-z]\w*|-?\d+(?:\.\d+)?|[\w:]+|\s+|[^\w\s]/g;
const VOCABULARY = [
  ...'0 -1 1 65535 65536 2147483648 -2147483649 4294967296 1e308 0.0000001 NaN'.split(' '),
  ...'" "> /> < > <!-- <![CDATA[ &#0; &#xD800; &a; <w:p> </w:p> <w:tbl><w:tr><w:tc> <w:r><w:t> "r1"'.split(
    ' ',
  ),
  ...'<style> <script> "A1:XFD1048576" << >> [ ] ( ) endobj endstream stream BT ET Do Tj Tf cm re'.split(' '),
  ...'/Type /Pages /Kids /Parent /Length /FlateDecode /ObjStm /Contents /JBIG2Decode'.split(' '),
  ...'| ---| ``` \f \0 \r \u202e \uFFFD \xe9 ; , "" \t'.split(' '),
  '1 0 R',
  '3 0 R',
  '99 0 R',
  '<!DOCTYPE a [<!ENTITY a "&a;">]>',
  '<table><tr><td colspan="1000000000" rowspan="-1">',
  '<a>'.repeat(3000),
  '<ul><li>'.repeat(500),
  'q '.repeat(2000),
  '> '.repeat(300),
  '- '.repeat(300),
];

/** Changed files, as many of each type: of some the bytes, of the others the text or what they contain compressed. */
export function mutants(seeds: readonly Seed[]): Arbitrary<Mutant> {
  const ofEach = Map.groupBy(seeds.keys(), (at) => seeds[at]?.type);
  const types = [...ofEach.values()].map((positions) => fc.constantFrom(...positions));
  const none = fc.constant([]);
  const one = (bytes: Arbitrary<ByteEdits>, tokens: Arbitrary<TokenEdits>, inside: Arbitrary<TokenEdits>) =>
    fc.record({ seed: fc.oneof(...types), bytes, tokens, part: fc.nat(50), inside });
  const edits = tokenEdits(VOCABULARY);
  return fc.oneof(one(byteEdits(), none, none), one(none, edits, none), {
    weight: 2,
    arbitrary: one(none, none, edits),
  });
}

/** Every file as it is. */
export const unchanged = (seeds: readonly Seed[]): Mutant[] =>
  seeds.map((_, seed) => ({ seed, bytes: [], tokens: [], part: 0, inside: [] }));

export const isUnchanged = ({ bytes, tokens, inside }: Mutant): boolean =>
  bytes.length + tokens.length + inside.length === 0;

/** The changed file. Edits of compressed parts do not apply to types without any. */
export async function renderMutant(
  seeds: readonly Seed[],
  { seed, bytes, tokens, part, inside }: Mutant,
): Promise<{ seed: Seed; bytes: Uint8Array }> {
  const original = seeds[seed % seeds.length];
  if (!original) throw new Error('There are no files to change.');
  let changed = original.bytes;
  if (inside.length > 0) changed = await mutateInside(original, part, inside);
  if (tokens.length > 0) changed = mutateLatin1(changed, tokens);
  return { seed: original, bytes: mutateBytes(changed, bytes) };
}

async function mutateInside({ type, bytes }: Seed, part: number, edits: TokenEdits): Promise<Uint8Array> {
  if (type === 'pdf') return mutateStream(bytes, part, edits);
  if (!ARCHIVES.has(type)) return mutateLatin1(bytes, edits);
  const entries = await readEntries(bytes);
  const changed = part % entries.length;
  return writeEntries(
    entries.map(({ name, content }, at) => ({
      name,
      content: at === changed ? mutateLatin1(content, edits) : content,
    })),
  );
}

/** Edits one compressed stream of a PDF. Its length is then wrong, as in many real files; readers look for its end. */
export function mutateStream(pdf: Uint8Array, part: number, edits: TokenEdits): Uint8Array {
  const text = Buffer.from(pdf).toString('latin1');
  const streams = [...text.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].flatMap((match) => {
    const [whole, content = ''] = match;
    const start = match.index + whole.indexOf(content, 'stream'.length);
    const plain = inflated(Buffer.from(content, 'latin1'));
    return plain ? [{ start, end: start + content.length, plain }] : [];
  });
  const stream = streams[part % streams.length];
  if (!stream) return mutateLatin1(pdf, edits);
  const { start, end, plain } = stream;
  return Buffer.concat([pdf.slice(0, start), deflateSync(mutateLatin1(plain, edits)), pdf.slice(end)]);
}

function inflated(bytes: Buffer): Buffer | undefined {
  try {
    return inflateSync(bytes);
  } catch {
    return undefined;
  }
}

/** Edits tokens without changing any other byte, whatever the encoding. */
function mutateLatin1(bytes: Uint8Array, edits: TokenEdits): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  return Buffer.from(mutateText(text, TOKEN, edits), 'latin1');
}
