/** S3's minimum size of a part that is not the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The most memory one upload uses: one part fills while the other is sent to the store. */
export const UPLOAD_BUFFER_BYTES = 2 * PART_BYTES;

export interface PartBuffer {
  /** PART_BYTES long, uninitialized: may contain bytes of other uploads. */
  bytes: Buffer;
  /** Returns the buffer. `reusable` means that nothing reads the bytes any more, a socket included. */
  release(reusable: boolean): void;
}

/**
 * A pool of upload buffers for this process, reused rather than left to the garbage collector, which would fall behind
 * with many concurrent uploads.
 */
export interface PartBuffers {
  take(): PartBuffer;
  /** A second buffer for an upload; undefined while enough other uploads have two. */
  takeSecond(): PartBuffer | undefined;
}

/**
 * @param kept    how many idle buffers to keep
 * @param seconds how many concurrent uploads may fill one part while another is sent; a few keep the store busy, the
 *   rest would only queue with twice the memory
 */
export function createPartBuffers(kept: number, seconds = 8): PartBuffers {
  const idle: Buffer[] = [];
  let secondsTaken = 0;

  function acquire(onRelease?: () => void): PartBuffer {
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
    take: () => acquire(),
    takeSecond() {
      if (secondsTaken === seconds) return undefined;
      secondsTaken += 1;
      return acquire(() => {
        secondsTaken -= 1;
      });
    },
  };
}
