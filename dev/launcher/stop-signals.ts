/** One Ctrl-C arrives twice, from the terminal and from npm; a second stop request counts only after this time. */
const SAME_KEYSTROKE_MS = 1_000;

export interface StopSignals {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  stop: AbortSignal;
  /** Aborted by a second such signal. */
  kill: AbortSignal;
  /** Resolves at the first signal. */
  asked: Promise<void>;
}

/**
 * Turns SIGINT, SIGTERM and SIGHUP into abort signals.
 *
 * @param underNpm whether npm's shell is the parent process: npm does not forward signals through it, so its exit is
 *   treated as a SIGHUP
 */
export function listenForStop(underNpm: boolean): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const asked = Promise.withResolvers<void>();
  let first = 0;
  const onSignal = (name: NodeJS.Signals) => {
    if (!stop.signal.aborted) {
      first = Date.now();
      stop.abort(new Error(`stopped by ${name}`));
      asked.resolve();
    } else if (Date.now() - first > SAME_KEYSTROKE_MS) {
      kill.abort();
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  if (underNpm) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && !stop.signal.aborted) onSignal('SIGHUP');
    }, 500).unref();
  }
  // After a SIGHUP the terminal is gone; an unhandled write error would end the launcher before its children.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return { stop: stop.signal, kill: kill.signal, asked: asked.promise };
}
