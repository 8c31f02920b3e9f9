import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_OPEN_UPLOADS } from '../../../domain/limits.ts';
import { AppError } from '../../../domain/app-error.ts';

const RETRY_AFTER_SECONDS = 60;

/**
 * Rejects another direct upload for a tenant that has too many open ones: each is a row, a workflow and maybe parts in
 * the store for up to a week. Concurrent requests are not serialized, so a few more may get through.
 *
 * @throws AppError TOO_MANY_UPLOADS
 */
export async function rejectTooManyUploads(em: EntityManager, tenantId: string): Promise<void> {
  // Must match the predicate of the index upload_intents_open.
  const full: unknown[] = await em.execute(
    `select 1 from upload_intents where tenant_id = ? and status in ('PENDING', 'UPLOADED') limit 1 offset ?`,
    [tenantId, MAX_OPEN_UPLOADS - 1],
  );
  if (full.length === 0) return;
  const message = `${MAX_OPEN_UPLOADS} direct uploads are open; complete or abort some of them first`;
  throw new AppError('TOO_MANY_UPLOADS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
