import type { EntityManager } from '@mikro-orm/postgresql';
import { ANSWER_HOURS } from '../../domain/ask/answer.ts';
import { EXTRACTION_DAYS } from '../../domain/structured-extraction/extraction.ts';
import { EXPORT_RECORD_DAYS, IMPORT_RECORD_DAYS } from '../../domain/limits.ts';
import { LOGIN_SESSION_IDLE_SECONDS } from '../../domain/accounts/login.ts';

/** Bounds the locks and WAL of one statement. */
const AT_ONCE = 5_000;

/** Expiring rows and their retention. */
const EXPIRING = [
  { table: 'login_sessions', key: 'id', over: 'expires_at < now()' },
  { table: 'account_tokens', key: 'token_hash', over: 'expires_at < now()' },
  { table: 'oidc_flows', key: 'cookie_hash', over: 'expires_at < now()' },
  { table: 'connection_flows', key: 'state_hash', over: 'expires_at < now()' },
  {
    table: 'exports',
    key: 'id',
    over: `clean_at is null and completed_at < now() - interval '${EXPORT_RECORD_DAYS} days'`,
  },
  {
    table: 'import_items',
    key: 'id',
    over: `import_id in (select id from imports where completed_at < now() - interval '${IMPORT_RECORD_DAYS} days')`,
  },
  {
    table: 'imports',
    key: 'id',
    over: `completed_at < now() - interval '${IMPORT_RECORD_DAYS} days'
      and not exists (select 1 from import_items where import_id = imports.id)`,
  },
  { table: 'rate_limits', key: 'key', over: 'resets_at < now()' },
  {
    table: 'schema_extractions',
    key: 'id',
    over: `file_id is null and status <> 'processing' and created_at < now() - interval '${EXTRACTION_DAYS} days'`,
  },
  {
    table: 'document_answers',
    key: 'id',
    over: `status <> 'processing' and created_at < now() - interval '${ANSWER_HOURS} hours'`,
  },
] as const;

/**
 * Removes login sessions, tokens, records of exports and imports, results without a file, answers and request counters that have expired, a
 * bounded number at a time.
 *
 * @returns the number of removed rows
 */
export async function removeExpired(em: EntityManager): Promise<number> {
  let removed = 0;
  for (const { table, key, over } of EXPIRING) removed += await remove(em, table, key, over);
  const idle = `last_activity_at < now() - interval '${LOGIN_SESSION_IDLE_SECONDS} seconds'`;
  return removed + (await remove(em, 'login_sessions', 'id', idle));
}

async function remove(em: EntityManager, table: string, key: string, over: string): Promise<number> {
  // Rows locked by a request are left for the next run.
  const gone: unknown[] = await em.execute(
    `delete from ${table} where ${key} in (
       select ${key} from ${table} where ${over} limit ${AT_ONCE} for update skip locked) returning 1`,
  );
  return gone.length;
}
