import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { startIfDue } from '../processing/reconcile-file.ts';
import { pollUntil, type PollOptions } from '../shared/poll-until.ts';

/**
 * Waits until the processing of a file has ended, or the time is up. Starts it if the engine was away before.
 *
 * @param file is refreshed
 * @returns whether it has ended
 */
export async function waitUntilEnded(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  wait: Pick<PollOptions, 'milliseconds' | 'signal'>,
): Promise<boolean> {
  const ended = await pollUntil(
    async () => {
      await deps.em.refreshOrFail(file);
      return isTerminalPrimary(file.primaryStatus) || undefined;
    },
    { ...wait, startDue: () => startIfDue(deps, file) },
  );
  return ended ?? false;
}
