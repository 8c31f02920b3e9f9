import { setTimeout as delay } from 'node:timers/promises';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { startPurge } from '../../temporal/starters/purge-files.ts';

const EVERY_MS = 60_000;

/**
 * Purges the trash of a stack each minute, until aborted. The trash keeps files for an hour at least, so deletions of
 * more than a minute ago are dated back first.
 */
export async function purgeEachMinute(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const orm = createOrm(readConfig([databaseConfig], env));
  const engine = createEngine(readConfig([temporalConfig], env));
  try {
    for (;;) {
      await delay(EVERY_MS, undefined, { signal });
      await orm.em.fork().execute(
        `update files set deleted_at = deleted_at - interval '2 hours'
           where deleted_at between now() - interval '1 hour' and now() - interval '1 minute'`,
      );
      await startPurge(engine, 0);
    }
  } finally {
    await engine.close();
    await orm.close(true);
  }
}
