import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { FILES_A_MESSAGE } from '../../temporal/contract/upload-session.ts';
import { signalFilesStored } from '../../temporal/upload-session-signals.ts';
import { toUploadSessionFile } from '../processing/start-file-work.ts';

export interface Announcer {
  /** Queues a file; never blocks. */
  add(file: StoredFile): void;
  /** Resolves when all queued files have been sent or given up. */
  settled(): Promise<void>;
}

/**
 * Signals new files to the workflow of their upload session during the upload: files that arrive while one signal is in
 * flight are batched into the next, so that a fast upload costs few events. Lost ones stay due in their rows.
 */
export function announceFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
  onLost: (error: unknown) => void,
): Announcer {
  let queued: StoredFile[] = [];
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (queued.length > 0) {
      const batch = queued.slice(0, FILES_A_MESSAGE);
      queued = queued.slice(FILES_A_MESSAGE);
      await send(batch).catch(onLost);
    }
    sending = undefined;
  }

  async function send(files: StoredFile[]): Promise<void> {
    if (
      (await signalFilesStored(
        engine,
        session,
        files.map((file) => toUploadSessionFile(engine, file)),
      )) !== 'sent'
    )
      return;
    const ids = files.map(({ id }) => id);
    await em
      .fork()
      .nativeUpdate(StoredFile, { id: { $in: ids }, generation: 1, deletedAt: null }, { engineDueAt: null });
  }

  return {
    add(file) {
      queued.push(file);
      sending ??= sendAll();
    },
    settled: () => sending ?? Promise.resolve(),
  };
}
