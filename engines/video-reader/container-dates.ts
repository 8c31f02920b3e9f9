import { boxesIn, findBox } from '../boxes.ts';
import type { VideoBytes } from './present-with-file-type.ts';

/** Enough for the header of a movie and of its first track, and for the first elements of Matroska. */
const HEAD_BYTES = 2 ** 16;
/** More boxes before the header of the movie than any writer puts there. */
const MOST_BOXES = 1000;
/** Seconds from 1904, where MP4 begins to count, to 1970. */
const EPOCH_1904 = 2_082_844_800;

/**
 * The dates in the headers of a container, in ISO 8601, best first: of the movie, then of its first track. Those that were
 * never set are left out.
 */
export async function headerDates({ readBytes, sizeBytes }: VideoBytes): Promise<string[]> {
  const head = Buffer.from(await readBytes(0, Math.min(HEAD_BYTES, sizeBytes)));
  if (head.indexOf(EBML) === 0) return matroskaDates(head);
  const movie = await findMovie({ readBytes, sizeBytes });
  if (!movie) return [];
  const [moov] = boxesIn(movie);
  return [['mvhd'], ['trak', 'mdia', 'mdhd'], ['trak', 'tkhd']].flatMap((path) => {
    const box = findBox(movie, path, moov);
    if (!box || box.end - box.start < 12) return [];
    const isLong = movie[box.start] === 1;
    const seconds = isLong ? Number(movie.readBigUInt64BE(box.start + 4)) : movie.readUInt32BE(box.start + 4);
    if (seconds === 0) return [];
    // Some writers count from 1970.
    return iso(seconds < EPOCH_1904 ? seconds : seconds - EPOCH_1904);
  });
}

/** The beginning of the box of the movie, wherever it is. */
async function findMovie({ readBytes, sizeBytes }: VideoBytes): Promise<Buffer | undefined> {
  let at = 0;
  for (let count = 0; count < MOST_BOXES && at + 16 <= sizeBytes; count += 1) {
    const header = Buffer.from(await readBytes(at, at + 16));
    const short = header.readUInt32BE();
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
    if (header.toString('latin1', 4, 8) === 'moov') {
      return Buffer.from(
        await readBytes(at, Math.min(sizeBytes, at + HEAD_BYTES, at + (size || HEAD_BYTES))),
      );
    }
    if (size < 8) return undefined;
    at += size;
  }
  return undefined;
}

const EBML = Buffer.from('1a45dfa3', 'hex');
const INFO = Buffer.from('1549a966', 'hex');
/** DateUTC with its size, 8: nanoseconds from 2001. */
const DATE_UTC = Buffer.from('446188', 'hex');
const EPOCH_2001 = 978_307_200;

function matroskaDates(head: Buffer): string[] {
  const info = head.indexOf(INFO);
  const date = info < 0 ? -1 : head.indexOf(DATE_UTC, info);
  if (date < 0 || date > info + 4096 || date + 11 > head.length) return [];
  const nanoseconds = head.readBigInt64BE(date + DATE_UTC.length);
  return nanoseconds === 0n ? [] : iso(EPOCH_2001 + Number(nanoseconds / 1_000_000_000n));
}

function iso(seconds: number): string[] {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? [] : [date.toISOString()];
}
