import { destination, type DestinationStream, type Level, type Logger, pino } from 'pino';
import { loggable } from './loggable.ts';

/** Lines kept in memory while they cannot be written; later ones are dropped. */
const WAITING_BYTES = 2 ** 20;

export interface LogOptions {
  level: Level | 'silent';
  /** Fields of every line. */
  base: Record<string, string>;
}

/**
 * The log of a process: one JSON object per line on standard output, without secrets (`loggable`). A full disk does not
 * end the process: the first lines that cannot be written wait for room, later ones are lost.
 *
 * @param to for tests, another destination
 */
export function createLog(options: LogOptions, to: DestinationStream = standardOutput()): Logger {
  const settings = {
    ...options,
    formatters: { log: loggable },
    // The formatter has already described it.
    serializers: { err: (described: unknown) => described },
  };
  return pino(settings, to);
}

/**
 * Ends the process on an error that nobody handled, after logging it: Node would print it with everything that is
 * attached to it, such as the bytes of a request.
 */
export function exitOnDefect(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
}

function standardOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  stream.on('error', () => undefined);
  // What libraries print goes the same way.
  for (const printed of [process.stdout, process.stderr]) printed.on('error', () => undefined);
  return stream;
}
