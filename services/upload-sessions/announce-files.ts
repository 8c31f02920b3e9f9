import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { FILES_A_MESSAGE, type SessionFile } from '../../temporal/contract/batch-session.ts';
import { toSessionFile } from './read-open-work.ts';
import { tellFilesStored } from './tell-session.ts';

export interface Announcer {
  /** Takes a file over; never waits. */
  add(file: StoredFile): void;
  /** Resolves when all that was added has been sent, or given up. */
  settled(): Promise<void>;
}

/**
 * Tells the workflow of a session of new files while more are coming: as many as gather during one message go with
 * the next, so that a quick upload costs few events. What is lost is found in the rows when the session is sealed.
 */
export function announceFiles(
  engine: Engine,
  sessionId: string,
  onLost: (error: unknown) => void,
): Announcer {
  let waiting: SessionFile[] = [];
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, FILES_A_MESSAGE);
      waiting = waiting.slice(FILES_A_MESSAGE);
      await tellFilesStored(engine, sessionId, batch).catch(onLost);
    }
    sending = undefined;
  }

  return {
    add(file) {
      waiting.push(toSessionFile(file));
      sending ??= send();
    },
    settled: () => sending ?? Promise.resolve(),
  };
}
