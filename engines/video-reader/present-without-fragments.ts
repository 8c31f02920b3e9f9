/** Reads bytes of a file from `start` up to `end`. */
export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** Size of the ranges searched for the first fragment or cluster, and for the last ones. */
const HEAD_BYTES = 2 ** 20;
const TAIL_BYTES = [2 ** 22, 2 ** 24];
/** Size of the header of the element that replaces the middle. */
const FILLER_BYTES = 16;

/**
 * A fragmented video has no index, so finding its end means walking through all fragments. This presents all
 * fragments but the last ones as one element of padding; the offsets of everything else stay the same.
 *
 * @returns undefined if the video is not fragmented
 */
export async function presentWithoutFragments(
  readBytes: ReadBytes,
  sizeBytes: number,
): Promise<ReadBytes | undefined> {
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

/** Offset of the first `moof` box, which starts with an `mfhd` box. */
function findFragment(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 1)) {
    if (at >= 4 && bytes.toString('latin1', at + 8, at + 12) === 'mfhd') return at - 4;
  }
  return undefined;
}

const CLUSTER = Buffer.from('1f43b675', 'hex');
/** The first element of a cluster: its time or a checksum. */
const CLUSTER_BEGINS_WITH = [0xe7, 0xbf];

function findCluster(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(CLUSTER); at >= 0; at = bytes.indexOf(CLUSTER, at + 1)) {
    // The length of the size field is the number of leading zeros of its first byte, plus one.
    const sizeLength = Math.clz32(bytes[at + 4] ?? 0) - 24 + 1;
    if (CLUSTER_BEGINS_WITH.includes(bytes[at + 4 + sizeLength] ?? 0)) return at;
  }
  return undefined;
}

/** The header of a `free` box with a 64-bit size. */
function boxFiller(length: number): Buffer {
  const filler = Buffer.from('\0\0\0\u0001free\0\0\0\0\0\0\0\0', 'latin1');
  filler.writeBigUInt64BE(BigInt(length), 8);
  return filler;
}

/** The header of a Void element with a 56-bit size. */
function matroskaFiller(length: number): Buffer {
  const filler = Buffer.alloc(9);
  filler.writeBigUInt64BE(BigInt(length - 9), 1);
  filler.set([0xec, 0x01]);
  return filler;
}
