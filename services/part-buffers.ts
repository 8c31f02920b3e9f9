/** What S3 allows as the smallest part that is not the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The most that one upload holds in memory: one part fills while the other is on its way to the store. */
export const UPLOAD_BUFFER_BYTES = 2 * PART_BYTES;

/** Part-sized buffers, used again rather than left to the collector, which would trail behind many uploads at once. */
export interface PartBuffers {
  take(): Buffer;
  /** Gives back a buffer that nothing reads any more, a socket included. */
  give(buffer: Buffer): void;
}

/** @param kept how many idle buffers to hold; more than that are left to the collector */
export function createPartBuffers(kept: number): PartBuffers {
  const idle: Buffer[] = [];
  return {
    take: () => idle.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES),
    give(buffer) {
      if (idle.length < kept) idle.push(buffer);
    },
  };
}
