/** What S3 allows as the smallest part that is not the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The most that one upload holds in memory: one part fills while the other is on its way to the store. */
export const UPLOAD_BUFFER_BYTES = 2 * PART_BYTES;

export interface PartBuffer {
  /** PART_BYTES of them, with leftovers of other uploads in them. */
  bytes: Buffer;
  /** Ends the loan. `reusable` says that nothing reads the bytes any more, a socket included. */
  release(reusable: boolean): void;
}

/**
 * The memory of all uploads of this process, in buffers that are used again rather than left to the collector, which
 * would trail behind many uploads at once.
 */
export interface PartBuffers {
  take(): PartBuffer;
  /** One more for an upload that has one; undefined while enough others have two. */
  takeSecond(): PartBuffer | undefined;
}

/**
 * @param kept    how many idle buffers to hold on to
 * @param seconds how many uploads at once may fill one part while another travels; a few keep the store busy, and the
 *                rest would only wait in turn with twice the memory
 */
export function createPartBuffers(kept: number, seconds = 8): PartBuffers {
  const idle: Buffer[] = [];
  let secondsTaken = 0;

  function lend(onRelease?: () => void): PartBuffer {
    const bytes = idle.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES);
    return {
      bytes,
      release(reusable) {
        onRelease?.();
        if (reusable && idle.length < kept) idle.push(bytes);
      },
    };
  }

  return {
    take: () => lend(),
    takeSecond() {
      if (secondsTaken === seconds) return undefined;
      secondsTaken += 1;
      return lend(() => {
        secondsTaken -= 1;
      });
    },
  };
}
