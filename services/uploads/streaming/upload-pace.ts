export interface PaceLimit {
  /** Minimum average rate of an upload; 0 disables the limit. */
  bytesPerSecond: number;
  /** Averaging window in seconds: a client that was fast before may pause. */
  overSeconds: number;
}

export interface Pace {
  /**
   * Records the bytes received in one second.
   *
   * @param held whether received bytes wait for the server, which then causes the delay
   * @returns false once the upload is too slow
   */
  second(bytes: number, held: boolean): boolean;
}

/**
 * Checks the rate of one upload with a token bucket of `overSeconds` worth of bytes that drains at the minimum rate.
 */
export function createPace({ bytesPerSecond, overSeconds }: PaceLimit): Pace {
  const full = bytesPerSecond * overSeconds;
  let left = full;
  return {
    second(bytes, held) {
      if (!held) left = Math.min(full, left + bytes - bytesPerSecond);
      return left > 0 || full === 0;
    },
  };
}
