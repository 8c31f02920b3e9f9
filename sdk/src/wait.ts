import { DarkroomError } from './errors.ts';
import { followEvents, type LiveEvent } from './events.ts';
import { delay, isRetryable, type Transport } from './transport.ts';

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait; its reason is thrown. `AbortSignal.timeout` sets a time limit. */
  signal?: AbortSignal | undefined;
  /** Called with each live event; never if live events are not available. */
  onEvent?: ((event: LiveEvent) => void) | undefined;
  /** False polls instead of using live events. */
  live?: boolean | undefined;
}

/** Frequent at first, then within the request rate of the API. */
const POLL = { firstMs: 300, growth: 1.4, mostMs: 5000 };
/** Few, because the state is read between connections. */
const RETRIES = 2;

/**
 * Waits until an operation has ended: by its live events, or by polling if they are not available.
 *
 * @param events path of the event stream; without one, the state is polled
 * @param read   reads the current state
 * @param ended  whether a state is final
 * @returns the final state
 * @throws errors of `read`; the reason of the signal
 */
export async function waitUntil<T>(
  transport: Transport,
  { events, read, ended }: { events?: string; read: () => Promise<T>; ended: (state: T) => boolean },
  { signal, onEvent, live = true }: WaitOptions = {},
): Promise<T> {
  let listens = live && events !== undefined;
  for (let pause = POLL.firstMs; ; pause = Math.min(pause * POLL.growth, POLL.mostMs)) {
    if (listens && events !== undefined) listens = await listen(transport, events, { signal, onEvent });
    const state = await read();
    if (ended(state)) return state;
    await delay(pause, signal);
  }
}

/** Follows a channel until it ends. Returns whether to use it again if the state is not final. */
async function listen(
  transport: Transport,
  events: string,
  { signal, onEvent }: Pick<WaitOptions, 'signal' | 'onEvent'>,
): Promise<boolean> {
  try {
    for await (const event of followEvents(transport, events, { signal, retries: RETRIES })) onEvent?.(event);
    return true;
  } catch (error) {
    // Retryable errors are temporary. Otherwise an older server or a proxy does not support event streams.
    if (isRetryable(error)) return true;
    if (error instanceof DarkroomError) return false;
    throw error;
  }
}
