import type { EntityManager } from '@mikro-orm/postgresql';
import { SESSION_TIMEOUTS } from './create-orm.ts';

/**
 * Makes the time limits of a session defaults of the connected role in this database. A pooler in transaction mode lets
 * no client set them for a session of its own.
 */
export async function limitRole(em: EntityManager): Promise<void> {
  await em.transactional(async (tx) => {
    // Two concurrent changes of a role fail.
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('limit-role', 0))");
    for (const [name, milliseconds] of Object.entries(SESSION_TIMEOUTS)) {
      const alter = `alter role current_user in database %I set ${name} = ${milliseconds}`;
      await tx.execute(`do $$ begin execute format('${alter}', current_database()); end $$`);
    }
  });
}
