/** S3's smallest part, and the unit in which uploads hold memory. */
export const PART_BYTES = 5 * 1024 * 1024;

/** Part buffers that are used again, so that many uploads in a row leave nothing for the collector to find. */
export interface PartBuffers {
  take(): Buffer;
  give(buffer: Buffer): void;
}

export function createPartBuffers(keep = 16): PartBuffers {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES),
    give(buffer) {
      if (free.length < keep) free.push(buffer);
    },
  };
}
