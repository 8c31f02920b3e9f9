import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { linkOriginal } from '../../domain/links/web-link.ts';
import { makeOrdinaryFile } from '../noisy/ordinary-files.ts';
import { createDice, type Dice } from '../shared/dice.ts';
import { withZipComment } from '../soak/uploads.ts';
import { totalOf, type Kind, type Piece } from './plan.ts';

const SIDE = 64;
/** Two parts: one of 5 MiB, the minimum part size, and a short one. */
const LARGE_BYTES = 5 * 1024 * 1024 + 300_000;
const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples');
const LEASE = join(SAMPLES, 'documents', 'lease.docx');
const SCAN = join(SAMPLES, 'documents', 'receipt-scan.pdf');
const VIDEO = join(SAMPLES, 'videos', 'three-samples.mp4');

export interface Content {
  bytes: Buffer<ArrayBuffer>;
  sha256: string;
}

/**
 * The bytes of a file, different for every content and seed. A readable document states its total; those of a link are its
 * address, as the service stores it.
 *
 * @param large whether an image is large enough for a multipart upload
 * @param urlOf the address of a link
 */
export async function makeContent(
  seed: number,
  piece: Pick<Piece, 'content' | 'kind' | 'pages'>,
  { large, urlOf }: { large: boolean; urlOf: (content: number) => string },
): Promise<Content> {
  const { content, kind, pages } = piece;
  if (kind === 'png') return paintContent(seed, content, large);
  if (kind === 'link') return hashed(Buffer.from(linkOriginal(urlOf(content))));
  const wanted = { mark: `chaos ${seed}/${content}`, pages, total: totalOf(piece) };
  return hashed(await MAKERS[kind](wanted, diceOf(seed, content)));
}

interface Wanted {
  /** Occurs in no other file. */
  mark: string;
  pages: number;
  total: number;
}
type Make = (wanted: Wanted, dice: Dice) => Promise<Buffer<ArrayBuffer>>;

const MAKERS: Readonly<Record<Exclude<Kind, 'png' | 'link'>, Make>> = {
  jpg: ({ mark }, dice) => makeOrdinaryFile('jpg', { title: mark }, dice),
  pdf: document('pdf'),
  // The program that writes Word documents adds the time.
  docx: async ({ mark }) => withZipComment(await readFile(LEASE), mark),
  txt: document('txt'),
  md: document('md'),
  scan: async ({ mark }) => Buffer.concat([await readFile(SCAN), Buffer.from(`\n%${mark}\n`)]),
  // Readers skip boxes of type `free`.
  async video({ mark }) {
    const head = Buffer.from('\0\0\0\0free');
    head.writeUInt32BE(head.length + mark.length);
    return Buffer.concat([await readFile(VIDEO), head, Buffer.from(mark)]);
  },
};

function document(medium: 'pdf' | 'txt' | 'md'): Make {
  return ({ mark, pages, total }, dice) =>
    makeOrdinaryFile(medium, { title: `Report ${mark}`, notes: [`Total: ${total.toFixed(2)}`], pages }, dice);
}

/**
 * A 64 × 64 PNG of coarse noise, different for every index and seed.
 *
 * @param large appends bytes, which image readers ignore, so that the file is large enough for a multipart upload
 */
export async function paintContent(seed: number, index: number, large: boolean): Promise<Content> {
  const dice = diceOf(seed, index);
  const squares = 8;
  const pixels = Uint8Array.from({ length: squares * squares * 3 }, () => dice.whole(0, 255));
  const png = await sharp(pixels, { raw: { width: squares, height: squares, channels: 3 } })
    .resize(SIDE, SIDE, { kernel: 'nearest' })
    .png()
    // The noise may repeat; this name does not.
    .withExif({ IFD0: { ImageDescription: `chaos ${seed}/${index}` } })
    .toBuffer();
  return hashed(Buffer.concat(large ? [png, Buffer.alloc(LARGE_BYTES - png.length, index % 251)] : [png]));
}

function diceOf(seed: number, content: number): Dice {
  return createDice(Math.imul(seed, 1_000_003) + content);
}

function hashed(bytes: Buffer<ArrayBuffer>): Content {
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
