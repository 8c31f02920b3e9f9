/** Reads bytes of a file from `start` up to `end`. */
export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** Where the first fragment or cluster is looked for, and the last ones. */
const HEAD_BYTES = 2 ** 20;
const TAIL_BYTES = [2 ** 22, 2 ** 24];
/** Of the element that stands for the middle. */
const FILLER_BYTES = 16;

/**
 * A video that was recorded in pieces has no index of them, so its end is found by a walk through all of them. This reads
 * it as if all pieces but the last ones were one element of padding. The places of all others stay the same.
 *
 * @returns undefined if it is not such a video
 */
export async function withoutMiddle(readBytes: ReadBytes, sizeBytes: number): Promise<ReadBytes | undefined> {
  const head = Buffer.from(await readBytes(0, Math.min(HEAD_BYTES, sizeBytes)));
  const isMatroska = head.readUInt32BE() === 0x1a_45_df_a3;
  const find = isMatroska ? findCluster : findFragment;
  const first = find(head);
  if (first === undefined) return undefined;
  for (const length of TAIL_BYTES) {
    const from = sizeBytes - length;
    if (from < first + FILLER_BYTES) return undefined;
    const tail = Buffer.from(await readBytes(from, sizeBytes));
    const found = find(tail);
    if (found === undefined) continue;
    const filler = (isMatroska ? matroskaFiller : boxFiller)(from + found - first);
    return async (start, end) => {
      if (start >= from) return tail.subarray(start - from, end - from);
      const bytes = Buffer.from(await readBytes(start, end));
      for (let at = Math.max(start, first); at < Math.min(end, first + filler.length); at += 1) {
        bytes[at - start] = filler[at - first] ?? 0;
      }
      return bytes;
    };
  }
  return undefined;
}

/** The first box `moof`, which begins with a box `mfhd`. */
function findFragment(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 1)) {
    if (at >= 4 && bytes.toString('latin1', at + 8, at + 12) === 'mfhd') return at - 4;
  }
  return undefined;
}

const CLUSTER = Buffer.from('1f43b675', 'hex');
/** Its time, or a checksum before that. */
const CLUSTER_BEGINS_WITH = [0xe7, 0xbf];

function findCluster(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(CLUSTER); at >= 0; at = bytes.indexOf(CLUSTER, at + 1)) {
    // Its size takes as many bytes as the first of them has leading zeros, and one more.
    const sizeLength = Math.clz32(bytes[at + 4] ?? 0) - 24 + 1;
    if (CLUSTER_BEGINS_WITH.includes(bytes[at + 4 + sizeLength] ?? 0)) return at;
  }
  return undefined;
}

/** A box `free` with a size of 64 bits. */
function boxFiller(length: number): Buffer {
  const filler = Buffer.from('\0\0\0\u0001free\0\0\0\0\0\0\0\0', 'latin1');
  filler.writeBigUInt64BE(BigInt(length), 8);
  return filler;
}

/** An element Void with a size of 56 bits. */
function matroskaFiller(length: number): Buffer {
  const filler = Buffer.alloc(9);
  filler.writeBigUInt64BE(BigInt(length - 9), 1);
  filler.set([0xec, 0x01]);
  return filler;
}
