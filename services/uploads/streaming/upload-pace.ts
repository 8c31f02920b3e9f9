export interface PaceLimit {
  /** Least average that an upload must keep; 0 lets it be as slow as it likes. */
  bytesPerSecond: number;
  /** The average is taken over so long: a pause of a client that was quick before is forgiven. */
  overSeconds: number;
}

export interface Pace {
  /**
   * Tells what one second brought.
   *
   * @param held whether bytes of the client wait for us: then the delay is ours
   * @returns false once the upload is too slow
   */
  second(bytes: number, held: boolean): boolean;
}

/** Judges the speed of one upload: a bucket of `overSeconds` worth of bytes that drains at the least rate. */
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
