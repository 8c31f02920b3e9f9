import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';

/**
 * Polls the row of a file until its processing has ended, or the time is up: the row has the outcome whichever process
 * recorded it.
 *
 * @param file is refreshed
 * @returns whether it has ended
 */
export async function waitUntilEnded(
  em: EntityManager,
  file: StoredFile,
  milliseconds: number,
): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  for (let pause = 50; ; pause = Math.min(pause * 1.5, 500)) {
    await em.refreshOrFail(file);
    if (isTerminalPrimary(file.primaryStatus)) return true;
    const left = deadline - Date.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
}
