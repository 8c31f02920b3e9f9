import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { FILES_A_MESSAGE } from '../../temporal/contract/batch-session.ts';
import { signalFilesStored } from '../../temporal/starters/batch-session.ts';
import { toSessionFile } from '../processing/start-file-work.ts';

export interface Announcer {
  /** Takes a file over; never waits. */
  add(file: StoredFile): void;
  /** Resolves when all that was added has been sent, or given up. */
  settled(): Promise<void>;
}

/**
 * Signals new files to the workflow of their upload session while more are coming: as many as gather during one message
 * go with the next, so that a quick upload costs few events. What is lost stays due in the rows.
 */
export function announceFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  sessionId: string,
  onLost: (error: unknown) => void,
): Announcer {
  let waiting: StoredFile[] = [];
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, FILES_A_MESSAGE);
      waiting = waiting.slice(FILES_A_MESSAGE);
      await send(batch).catch(onLost);
    }
    sending = undefined;
  }

  async function send(files: StoredFile[]): Promise<void> {
    if ((await signalFilesStored(engine, sessionId, files.map(toSessionFile))) !== 'sent') return;
    const ids = files.map(({ id }) => id);
    await em.fork().nativeUpdate(StoredFile, { id: { $in: ids }, generation: 1 }, { engineDueAt: null });
  }

  return {
    add(file) {
      waiting.push(file);
      sending ??= sendAll();
    },
    settled: () => sending ?? Promise.resolve(),
  };
}
