import type { EntityManager } from '@mikro-orm/postgresql';
import { SESSION_TIMEOUTS } from './create-orm.ts';

/**
 * Stores the session time limits as defaults of the connected role in this database: through a pooler in transaction
 * mode, clients cannot set them for their own sessions.
 */
export async function limitRole(em: EntityManager): Promise<void> {
  await em.transactional(async (tx) => {
    // Concurrent changes of a role fail.
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('limit-role', 0))");
    for (const [name, milliseconds] of Object.entries(SESSION_TIMEOUTS)) {
      const alter = `alter role current_user in database %I set ${name} = ${milliseconds}`;
      await tx.execute(`do $$ begin execute format('${alter}', current_database()); end $$`);
    }
  });
}
