import type { ReadBytes } from './present-without-fragments.ts';

/** A video of which ranges are read. */
export interface VideoBytes {
  readBytes: ReadBytes;
  sizeBytes: number;
}

/** The file type of QuickTime, which its files from before 2001 and of some cameras lack. */
const FILE_TYPE = Buffer.from('\0\0\0\u0014ftypqt  \0\0\0\0qt  ', 'latin1');

/**
 * Presents a QuickTime file that begins with another box as if it had a file type, without which the parser does not
 * know it. All offsets are shifted by its length, which matters to the content of frames alone.
 */
export async function presentWithFileType({ readBytes, sizeBytes }: VideoBytes): Promise<VideoBytes> {
  const head = Buffer.from(await readBytes(0, Math.min(8, sizeBytes)));
  const hasType = ['ftyp', 'styp'].includes(head.toString('latin1', 4, 8));
  if (hasType || head.readUInt32BE() === MATROSKA) return { readBytes, sizeBytes };
  const shift = FILE_TYPE.length;
  return {
    sizeBytes: sizeBytes + shift,
    async readBytes(start, end) {
      const own = FILE_TYPE.subarray(start, end);
      if (end <= shift) return own;
      return Buffer.concat([own, await readBytes(Math.max(0, start - shift), end - shift)]);
    },
  };
}

const MATROSKA = 0x1a_45_df_a3;
