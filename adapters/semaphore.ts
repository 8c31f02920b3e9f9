/** A fixed number of places, handed on first come, first served. */
export interface Slots {
  /** Resolves with a place; rejects with the abort reason when the signal comes first. */
  take(signal: AbortSignal): Promise<void>;
  /** Gives a taken place to the next in line. */
  give(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];

  function waitTurn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    waiting.push(enter);
    return promise;
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free === 0) return waitTurn(signal);
      free -= 1;
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
