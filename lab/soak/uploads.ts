import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import type { Dice } from '../shared/dice.ts';

/** A file to send, with unique bytes. */
export interface Upload {
  name: string;
  contentType: string;
  bytes: Buffer<ArrayBuffer>;
}

const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples');
const DOCUMENTS = join(SAMPLES, 'documents');
const MARKDOWN = join(PROJECT_ROOT, 'docs', 'glossary.md');
const SCREENSHOT = join(PROJECT_ROOT, 'docs', 'images', 'temporal-timeline.png');
const IMAGE = /\.(jpg|png|webp)$/;
const PARTS_OF_EACH = 8;
/** Share of the files; the others are images. */
const DOCUMENT_SHARE = 0.1;
/** Shares of the images; the others are photographs of ordinary size. */
const TEXT_SHARE = 0.03;
const LARGE_SHARE = 0.02;
const LARGE_WIDTH = 3_000;

/** Makes the bytes of a document unique without changing its content. */
const MARKED: Record<
  string,
  { contentType: string; mark: (document: Buffer, id: string) => Buffer<ArrayBuffer> }
> = {
  '.pdf': {
    contentType: 'application/pdf',
    mark: (pdf, id) => Buffer.concat([pdf, Buffer.from(`\n%${id}\n`)]),
  },
  '.docx': {
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    mark: withZipComment,
  },
  '.md': {
    contentType: 'text/markdown',
    mark: (text, id) => Buffer.concat([text, Buffer.from(`\n${id}\n`)]),
  },
};
/** The end record of a ZIP without a comment: the last two bytes are the comment's length. */
const ZIP_END = { signature: 0x06_05_4b_50, bytes: 22, lengthAt: 20 };

/** A source of files like those of users: mostly images, some documents, no duplicates. */
export async function prepareUploads(dice: Dice): Promise<() => Upload> {
  const nextImage = await prepareImages(dice);
  const nextDocument = prepareDocuments(dice);
  return () => (dice.fraction() < DOCUMENT_SHARE ? nextDocument() : nextImage());
}

/** The sample documents, one of which is scanned, and a Markdown file. */
function prepareDocuments(dice: Dice): () => Upload {
  const samples = readdirSync(DOCUMENTS).map((name) => join(DOCUMENTS, name));
  const documents = [...samples, MARKDOWN].map((path) => {
    const type = MARKED[extname(path)];
    if (!type) throw new Error(`${path} is a sample of a type that the soak test does not support.`);
    return { ...type, extension: extname(path), bytes: readFileSync(path) };
  });
  return () => {
    const { bytes, contentType, extension, mark } = dice.pick(documents);
    const id = randomUUID();
    return { name: `soak-${id}${extension}`, contentType, bytes: mark(bytes, id) };
  };
}

/** Adds a comment to an archive without one, which makes its bytes unique. */
export function withZipComment(zip: Buffer, comment: string): Buffer<ArrayBuffer> {
  const marked = Buffer.concat([zip, Buffer.from(comment)]);
  const end = zip.length - ZIP_END.bytes;
  if (zip.readUInt32LE(end) !== ZIP_END.signature) throw new Error('The sample already has a comment.');
  marked.writeUInt16LE(comment.length, end + ZIP_END.lengthAt);
  return marked;
}

/** Photographs and crops of them, some large ones, and some pages of text, each with unique bytes at its end. */
async function prepareImages(dice: Dice): Promise<() => Upload> {
  const photographs: [Buffer, ...Buffer[]] = [await jpeg(sharp(join(SAMPLES, 'astronaut.webp')))];
  let large: Buffer | undefined;
  for (const name of readdirSync(SAMPLES).filter((name) => IMAGE.test(name))) {
    const original = readFileSync(join(SAMPLES, name));
    const { width, height } = await sharp(original).metadata();
    large ??= await jpeg(sharp(original).resize(LARGE_WIDTH));
    for (let part = 0; part < PARTS_OF_EACH; part += 1) {
      const side = Math.floor(Math.min(width, height) * (0.5 + 0.4 * dice.fraction()));
      const [left, top] = [dice.whole(0, width - side), dice.whole(0, height - side)];
      const cut = sharp(original).extract({ left, top, width: side, height: side });
      photographs.push(await jpeg(cut.modulate({ hue: dice.whole(0, 359) })));
    }
  }
  const screenshot = readFileSync(SCREENSHOT);
  return () => {
    const kind = dice.fraction();
    const isText = kind < TEXT_SHARE;
    const isLarge = !isText && kind < TEXT_SHARE + LARGE_SHARE;
    const image = isText ? screenshot : (isLarge && large) || dice.pick(photographs);
    const id = randomUUID();
    const [extension, contentType] = isText ? ['png', 'image/png'] : ['jpg', 'image/jpeg'];
    return { name: `soak-${id}.${extension}`, contentType, bytes: Buffer.concat([image, Buffer.from(id)]) };
  };
}

function jpeg(image: Sharp): Promise<Buffer> {
  return image.jpeg({ quality: 85 }).toBuffer();
}
