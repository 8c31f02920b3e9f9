import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { IdempotencyKey } from '../../db/entities/shared/idempotency-key.ts';
import { AppError } from '../../domain/app-error.ts';

/** A holder that has not renewed its lease for this long is presumed dead; then another may take over. */
const LEASE_SECONDS = 6;
/** Four renewals per lease: a single late or failed one does no harm. */
const RENEWED_EVERY_MS = 1500;
const KEPT_HOURS = 24;
const RETRY_AFTER_SECONDS = 1;
const PURGED_AT_ONCE = 10_000;

/** An idempotent request. */
export interface RepeatableRequest {
  tenantId: string;
  /** The operation's id. */
  route: string;
  key: string;
  /** Path and body, in a form that is equal for equal requests. */
  content: unknown;
}

/** A request that was answered. Its response is rebuilt from the resource, which is more current than a stored copy. */
export interface Answered {
  answered: true;
  resourceId: string;
}

/** The exclusive right to process a request, until it is answered, its key is released, or this process dies. */
export interface Lease {
  answered: false;
  /** The id of the resource the request creates: a holder that takes over from a dead one gets the same id. */
  resourceId: string;
  /** Records that the request was answered, for later repeats. */
  keep(): Promise<void>;
  /** Releases the key: a rejected request may be retried with it. */
  release(): Promise<void>;
  /** Ends the right at once without an answer: a repeat is processed again, with the same id. */
  expire(): Promise<void>;
}

/**
 * Acquires the lease of a key, or returns that its request was answered.
 *
 * @throws AppError IDEMPOTENCY_KEY_REUSED when the key was used for a different request, REQUEST_IN_FLIGHT while the
 *   same request is in progress
 */
export async function acquireLease(
  em: EntityManager,
  { tenantId, route, key, content }: RepeatableRequest,
): Promise<Lease | Answered> {
  const requestHash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const holder = randomUUID();
  const id = { tenantId, route, key };
  const expired = [KEPT_HOURS, KEPT_HOURS, KEPT_HOURS];
  const [acquired] = await em.execute<{ resource_id: string }[]>(
    `insert into idempotency_keys as old
       (tenant_id, route, key, request_hash, resource_id, holder, leased_until, created_at)
     values (?, ?, ?, ?, ?, ?, now() + make_interval(secs => ?), now())
     on conflict (tenant_id, route, key) do update set
       request_hash = excluded.request_hash, holder = excluded.holder, leased_until = excluded.leased_until,
       answered_at = null,
       resource_id = case when old.created_at < now() - make_interval(hours => ?) then excluded.resource_id else old.resource_id end,
       created_at = case when old.created_at < now() - make_interval(hours => ?) then now() else old.created_at end
     where old.created_at < now() - make_interval(hours => ?)
       or (old.answered_at is null and old.leased_until < now() and old.request_hash = excluded.request_hash)
     returning resource_id`,
    [tenantId, route, key, requestHash, randomUUID(), holder, LEASE_SECONDS, ...expired],
  );
  if (acquired) {
    const stop = renew(em, { ...id, holder });
    return {
      answered: false,
      resourceId: acquired.resource_id,
      async keep() {
        stop();
        await em.nativeUpdate(IdempotencyKey, { ...id, holder }, { answeredAt: new Date() });
      },
      async release() {
        stop();
        await em.nativeDelete(IdempotencyKey, { ...id, holder, answeredAt: null });
      },
      async expire() {
        stop();
        await em.execute(
          `update idempotency_keys set leased_until = now() - interval '1 second'
           where tenant_id = ? and route = ? and key = ? and holder = ? and answered_at is null`,
          [tenantId, route, key, holder],
        );
      },
    };
  }
  const other = await em.findOne(IdempotencyKey, id, { refresh: true });
  if (other && other.requestHash !== requestHash) {
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      'this Idempotency-Key was already used for a different request',
    );
  }
  if (other?.answeredAt) return { answered: true, resourceId: other.resourceId };
  throw new AppError('REQUEST_IN_FLIGHT', 'a request with this Idempotency-Key is in progress', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Renews a lease until stopped. Failures are retried; a lease lost to another holder stays lost. */
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
         where tenant_id = ? and route = ? and key = ? and holder = ? and answered_at is null`,
        [LEASE_SECONDS, tenantId, route, key, holder],
      )
      .catch(() => undefined)
      .finally(() => (renewing = undefined));
  }, RENEWED_EVERY_MS);
  return () => clearInterval(timer);
}

/** Deletes keys after their 24 hours. Returns the number of deleted keys. */
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
