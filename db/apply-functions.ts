import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { webhookTriggers } from './webhook-triggers.ts';

/**
 * The present functions and triggers of the schema: the files of db/functions and the generated triggers of webhook events,
 * by name. Each can be applied to any migrated schema, again and again.
 */
export function schemaFunctions(): ReadonlyMap<string, string> {
  const folder = new URL('functions/', import.meta.url);
  const files = readdirSync(folder)
    .toSorted()
    .map((file): [string, string] => [file, readFileSync(new URL(file, folder), 'utf8')]);
  return new Map([...files, ['webhook-triggers', webhookTriggers()]]);
}

/**
 * Applies the functions that are not the last applied ones of their name; older code applies its own again. Safe to run
 * concurrently.
 *
 * @returns the names of the applied ones
 */
export async function applyFunctions(em: EntityManager): Promise<string[]> {
  return em.transactional(async (tx) => {
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('schema-functions', 0))");
    const last = await tx.execute<{ name: string; hash: string }[]>(
      'select distinct on (name) name, hash from schema_functions order by name, applied_at desc',
    );
    const hashes = new Map(last.map(({ name, hash }) => [name, hash]));
    const changed = Array.from(schemaFunctions()).filter(([name, sql]) => hashes.get(name) !== hashOf(sql));
    for (const [name, sql] of changed) {
      await tx.execute(sql);
      await tx.execute(
        // What an empty database will store is made by these.
        `insert into schema_functions (name, hash, applied_at, rebuilt_at)
         values (?, ?, clock_timestamp(), case when not exists (select from files) then clock_timestamp() end)
         on conflict (name, hash) do update set applied_at = excluded.applied_at`,
        [name, hashOf(sql)],
      );
    }
    return changed.map(([name]) => name);
  });
}

/** Names of the functions that were never applied in their present form. */
export async function pendingFunctions(em: EntityManager): Promise<string[]> {
  const applied = await em.execute<{ hash: string }[]>('select hash from schema_functions');
  const known = new Set(applied.map(({ hash }) => hash));
  return Array.from(schemaFunctions())
    .filter(([, sql]) => !known.has(hashOf(sql)))
    .map(([name]) => name);
}

function hashOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
