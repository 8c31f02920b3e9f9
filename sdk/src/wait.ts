import { DarkroomError } from './errors.ts';
import { followEvents, type LiveEvent } from './events.ts';
import { delay, isRetryable, type Transport } from './transport.ts';

/** How something is waited for. */
export interface WaitOptions {
  /** Ends the waiting; its reason is thrown. `AbortSignal.timeout` makes one that limits it. */
  signal?: AbortSignal | undefined;
  /** Called with each live event. Without live events, it is not called. */
  onEvent?: ((event: LiveEvent) => void) | undefined;
  /** False: ask again and again in place of listening. */
  live?: boolean | undefined;
}

/** Frequent at first, then within the request rate of the API. */
const POLL = { firstMs: 300, growth: 1.4, mostMs: 5000 };
/** Few, as the state is read in between. */
const RETRIES = 2;

/**
 * Waits until something has ended: by its live events, and where there are none by asking.
 *
 * @param events path of its event stream
 * @param read   reads its present state
 * @param ended  whether that is an end
 * @returns the state at the end
 * @throws what `read` throws; the reason of the signal
 */
export async function waitUntil<T>(
  transport: Transport,
  { events, read, ended }: { events: string; read: () => Promise<T>; ended: (state: T) => boolean },
  { signal, onEvent, live = true }: WaitOptions = {},
): Promise<T> {
  let listens = live;
  for (let pause = POLL.firstMs; ; pause = Math.min(pause * POLL.growth, POLL.mostMs)) {
    if (listens) listens = await listen(transport, events, { signal, onEvent });
    const state = await read();
    if (ended(state)) return state;
    await delay(pause, signal);
  }
}

/** Listens until the channel ends. Returns whether to try again if that was not the end. */
async function listen(
  transport: Transport,
  events: string,
  { signal, onEvent }: Pick<WaitOptions, 'signal' | 'onEvent'>,
): Promise<boolean> {
  try {
    for await (const event of followEvents(transport, events, { signal, retries: RETRIES })) onEvent?.(event);
    return true;
  } catch (error) {
    // An older server, or a proxy, has no streams; one that is busy or away may have some later.
    if (isRetryable(error)) return true;
    if (error instanceof DarkroomError) return false;
    throw error;
  }
}
