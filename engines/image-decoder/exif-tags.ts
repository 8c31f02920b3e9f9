const TAGS = {
  0x010f: 'make',
  0x0110: 'model',
  0x0132: 'dateTime',
  0x829a: 'exposureTime',
  0x829d: 'fNumber',
  0x8827: 'iso',
  0x9003: 'dateTimeOriginal',
  0x9004: 'dateTimeDigitized',
  0x9010: 'offsetTime',
  0x9011: 'offsetTimeOriginal',
  0x9012: 'offsetTimeDigitized',
  0x920a: 'focalLength',
  0xa434: 'lensModel',
} as const;
const EXIF_DIRECTORY = 0x8769;

type ExifTag = (typeof TAGS)[keyof typeof TAGS];
/** Texts as stored; numbers as their value (rationals are divided). */
export type ExifTags = Partial<Record<ExifTag, string | number>>;

/** More entries than any camera writes, and a bound on what a forged count can cost. */
const MOST_ENTRIES = 512;
const LONGEST_TEXT = 128;

/**
 * Reads the tags above from the two directories that contain them; the GPS pointer is never followed. Values outside
 * the block or of an unexpected type count as absent, and the cost does not grow with the block. (A general reader
 * expands a forged block of 64 KB, each entry claiming all of it, to 3 GB of numbers.)
 *
 * @param block as returned by codecs, with or without the leading `Exif\0\0`, or a whole TIFF
 */
export function readExif(block: Uint8Array): ExifTags {
  const tiff = block[0] === 0x45 ? block.subarray(6) : block;
  const read = createReader(tiff);
  const found: ExifTags = {};
  if (!read) return found;
  const readDirectory = (directory: number): number => {
    let exifDirectory = 0;
    const entries = Math.min(MOST_ENTRIES, read.uint16(directory));
    for (let entry = directory + 2; entry < directory + 2 + entries * 12; entry += 12) {
      const tag = read.uint16(entry);
      if (tag === EXIF_DIRECTORY) exifDirectory = read.uint32(entry + 8);
      if (!isKnown(tag)) continue;
      const value = readValue(read, entry);
      if (value !== undefined) found[TAGS[tag]] = value;
    }
    return exifDirectory;
  };
  const exifDirectory = readDirectory(read.uint32(4));
  if (exifDirectory > 0) readDirectory(exifDirectory);
  return found;
}

function isKnown(tag: number): tag is keyof typeof TAGS {
  return tag in TAGS;
}

function readValue(read: Reader, entry: number): string | number | undefined {
  const count = read.uint32(entry + 4);
  const pointer = read.uint32(entry + 8);
  switch (read.uint16(entry + 2)) {
    case 2:
      return read.text(count > 4 ? pointer : entry + 8, Math.min(count, LONGEST_TEXT));
    case 3:
      return read.uint16(count > 2 ? pointer : entry + 8);
    case 4:
      return read.uint32(count > 1 ? pointer : entry + 8);
    case 5:
      return read.uint32(pointer) / read.uint32(pointer + 4);
    default:
      return undefined;
  }
}

interface Reader {
  uint16: (offset: number) => number;
  uint32: (offset: number) => number;
  text: (offset: number, length: number) => string;
}

/** Reads in the block's byte order; offsets beyond its end read as zero. Undefined without a byte order mark. */
function createReader(tiff: Uint8Array): Reader | undefined {
  const little = tiff[0] === 0x49 && tiff[1] === 0x49;
  const big = tiff[0] === 0x4d && tiff[1] === 0x4d;
  if (!little && !big) return undefined;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  return {
    uint16: (offset) => (offset + 2 <= tiff.length ? view.getUint16(offset, little) : 0),
    uint32: (offset) => (offset + 4 <= tiff.length ? view.getUint32(offset, little) : 0),
    text: (offset, length) => new TextDecoder().decode(tiff.subarray(offset, offset + length)),
  };
}
