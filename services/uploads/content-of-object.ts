import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { TIFF_PAGES } from '../../domain/media.ts';
import type { AcceptedContent } from './accepted-content.ts';

/**
 * The kind of a stored file, where its leading bytes leave it open: a TIFF of several pages is a document, one of a
 * single page an image. Its directories may be anywhere in it.
 *
 * @throws the errors of the store
 */
export async function contentOfObject(
  objects: Pick<ObjectStore, 'read'>,
  key: string,
  { contentType, mediaType, format, sizeBytes }: AcceptedContent & { sizeBytes: number },
  signal?: AbortSignal,
): Promise<AcceptedContent> {
  const content = { contentType, mediaType, format };
  if (format !== TIFF_PAGES.format) return content;
  const readAt = async (from: number, length: number): Promise<Buffer | undefined> => {
    if (from + length > sizeBytes) return undefined;
    const range = { first: from, last: from + length - 1 };
    return objects.read(key, { maxBytes: length, range, signal });
  };
  return (await hasSeveralPages(readAt)) ? { ...content, ...TIFF_PAGES } : content;
}

/** Reads a range; undefined beyond the end. */
type ReadAt = (from: number, length: number) => Promise<Buffer | undefined>;

const ENTRY = { classic: 12, big: 20 };
/** Tag of the purpose of an image, and its bit for a smaller copy of another one. */
const SUBFILE_TYPE = 254;
const REDUCED = 1;
/** More than any directory has. */
const MAX_ENTRIES = 1_000;

/** Whether a second image follows the first that is no smaller copy of it. False for what is no TIFF. */
async function hasSeveralPages(readAt: ReadAt): Promise<boolean> {
  const header = await readAt(0, 16);
  const little = header?.toString('latin1', 0, 2) === 'II';
  const u16 = (bytes: Buffer, at: number): number =>
    little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  const u32 = (bytes: Buffer, at: number): number =>
    little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  const u64 = (bytes: Buffer, at: number): number =>
    Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  const isBig = header !== undefined && u16(header, 2) === 43;
  const offset = isBig ? u64 : u32;
  const wide = isBig ? 8 : 4;

  /** The entries of a directory, and the place of the next. */
  async function directory(at: number): Promise<{ entries: Buffer; next: number } | undefined> {
    const counted = await readAt(at, isBig ? 8 : 2);
    if (!counted) return undefined;
    const count = isBig ? u64(counted, 0) : u16(counted, 0);
    if (count > MAX_ENTRIES) return undefined;
    const size = count * (isBig ? ENTRY.big : ENTRY.classic);
    const bytes = await readAt(at + counted.length, size + wide);
    return bytes && { entries: bytes.subarray(0, size), next: offset(bytes, size) };
  }

  const first = header && (await directory(offset(header, isBig ? 8 : 4)));
  const second = first && first.next > 0 ? await directory(first.next) : undefined;
  if (!second) return false;
  const { entries } = second;
  for (let at = 0; at < entries.length; at += isBig ? ENTRY.big : ENTRY.classic)
    if (u16(entries, at) === SUBFILE_TYPE) return (u32(entries, at + (isBig ? 12 : 8)) & REDUCED) === 0;
  return true;
}
