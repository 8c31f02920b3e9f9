import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { pollUntil } from '../shared/poll-until.ts';

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
  const ended = await pollUntil(async () => {
    await em.refreshOrFail(file);
    return isTerminalPrimary(file.primaryStatus) || undefined;
  }, milliseconds);
  return ended ?? false;
}
