import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { IdempotencyKey } from '../../db/entities/shared/idempotency-key.ts';
import { AppError } from '../../domain/app-error.ts';

/** A holder that has not renewed its lease for so long has died; then another may take over. */
const LEASE_SECONDS = 6;
/** Four times a lease: one renewal that comes late, or fails, costs nothing. */
const RENEWED_EVERY_MS = 1500;
const KEPT_HOURS = 24;
const RETRY_AFTER_SECONDS = 1;
const PURGED_AT_ONCE = 10_000;

/** A request that its client may send again. */
export interface RepeatableRequest {
  tenantId: string;
  /** The operation's id. */
  route: string;
  key: string;
  /** Path and body, in any form that is the same for the same request. */
  content: unknown;
}

/** The answer that is stored for a key. */
export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** The right to do the work of a request, as long as this process lives, until the answer is kept or the key released. */
export interface Lease {
  /** The id of whatever the request creates: who takes over from a dead holder gets the same one. */
  resourceId: string;
  /** Stores the answer for later repeats. */
  keep(answer: StoredAnswer): Promise<void>;
  /** Gives the key free: what is refused may be tried again with it. */
  release(): Promise<void>;
}

/**
 * Takes hold of a key, or says what its request was answered.
 *
 * @throws AppError IDEMPOTENCY_KEY_REUSED when the key came with another request before, REQUEST_IN_FLIGHT while its
 *   twin is being worked on
 */
export async function acquireLease(
  em: EntityManager,
  { tenantId, route, key, content }: RepeatableRequest,
): Promise<Lease | StoredAnswer> {
  const requestHash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const holder = randomUUID();
  const id = { tenantId, route, key };
  const expired = [KEPT_HOURS, KEPT_HOURS, KEPT_HOURS];
  const [held] = await em.execute<{ resource_id: string }[]>(
    `insert into idempotency_keys as old
       (tenant_id, route, key, request_hash, resource_id, holder, leased_until, created_at)
     values (?, ?, ?, ?, ?, ?, now() + make_interval(secs => ?), now())
     on conflict (tenant_id, route, key) do update set
       request_hash = excluded.request_hash, holder = excluded.holder, leased_until = excluded.leased_until,
       response_status = null, response_body = null,
       resource_id = case when old.created_at < now() - make_interval(hours => ?) then excluded.resource_id else old.resource_id end,
       created_at = case when old.created_at < now() - make_interval(hours => ?) then now() else old.created_at end
     where old.created_at < now() - make_interval(hours => ?)
       or (old.response_status is null and old.leased_until < now() and old.request_hash = excluded.request_hash)
     returning resource_id`,
    [tenantId, route, key, requestHash, randomUUID(), holder, LEASE_SECONDS, ...expired],
  );
  if (held) {
    const stop = renew(em, { ...id, holder });
    return {
      resourceId: held.resource_id,
      async keep({ status, body }) {
        stop();
        const answer = { responseStatus: status, responseBody: body };
        await em.nativeUpdate(IdempotencyKey, { ...id, holder }, answer);
      },
      async release() {
        stop();
        await em.nativeDelete(IdempotencyKey, { ...id, holder, responseStatus: null });
      },
    };
  }
  const other = await em.findOne(IdempotencyKey, id, { refresh: true });
  if (other && other.requestHash !== requestHash) {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key came with another request before');
  }
  if (typeof other?.responseStatus === 'number') {
    return { status: other.responseStatus, body: other.responseBody };
  }
  throw new AppError('REQUEST_IN_FLIGHT', 'a request with this Idempotency-Key is being worked on', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Renews a lease until it is told to stop. What fails is tried again; a lease that was lost to another stays lost. */
function renew(
  em: EntityManager,
  { tenantId, route, key, holder }: { tenantId: string; route: string; key: string; holder: string },
): () => void {
  let renewing: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    renewing ??= em
      .fork()
      .execute(
        `update idempotency_keys set leased_until = now() + make_interval(secs => ?)
         where tenant_id = ? and route = ? and key = ? and holder = ? and response_status is null`,
        [LEASE_SECONDS, tenantId, route, key, holder],
      )
      .catch(() => undefined)
      .finally(() => (renewing = undefined));
  }, RENEWED_EVERY_MS);
  return () => clearInterval(timer);
}

/** Forgets keys after their 24 hours. Returns how many. */
export async function purgeKeys(em: EntityManager): Promise<number> {
  const purged: unknown[] = await em.execute(
    `delete from idempotency_keys where (tenant_id, route, key) in (
       select tenant_id, route, key from idempotency_keys
       where created_at < now() - make_interval(hours => ?) order by created_at limit ?)
     returning 1`,
    [KEPT_HOURS, PURGED_AT_ONCE],
  );
  return purged.length;
}
