import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { AuditEvent } from '../../db/entities/accounts/audit-event.ts';
import type { Credential } from '../../domain/accounts/access.ts';
import { severityOf, type AuditEventType, type AuditResult } from '../../domain/accounts/audit-events.ts';
import { AUDIT_LOG_MONTHS } from '../../domain/limits.ts';

const REMOVED_AT_ONCE = 5_000;

/** What happened, to what, and by whom. Metadata must hold no secrets. */
export interface AuditRecord {
  tenantId: string;
  type: AuditEventType;
  /** Success unless said otherwise. */
  result?: AuditResult;
  credential?: Credential | undefined;
  /** The user, where there is no credential: at a login. */
  userId?: string | undefined;
  ipAddress?: string | undefined;
  resource?: { type: string; id: string };
  errorMessage?: string;
  metadata?: Record<string, unknown>;
}

/** Writes an entry of the audit log, in the caller's transaction, so that a rollback removes it as well. */
export async function recordAuditEvent(em: EntityManager, record: AuditRecord): Promise<void> {
  const { tenantId, type, result = 'success', credential, resource } = record;
  await em.insert(AuditEvent, {
    id: randomUUID(),
    tenantId,
    eventType: type,
    occurredAt: new Date(),
    severity: severityOf(type, result),
    userId: credential?.kind === 'session' ? credential.userId : (record.userId ?? null),
    apiKeyId: credential?.kind === 'api_key' ? credential.keyId : null,
    action: type.slice(type.indexOf('.') + 1),
    result,
    ipAddress: record.ipAddress ?? null,
    resourceType: resource?.type ?? null,
    resourceId: resource?.id ?? null,
    errorMessage: record.errorMessage ?? null,
    metadata: record.metadata ?? {},
  });
}

/**
 * Removes the next batch of entries of the audit log whose time is over.
 *
 * @returns whether there may be more
 */
export async function removeOldAuditEvents(em: EntityManager): Promise<{ removed: number; more: boolean }> {
  const removed: unknown[] = await em.execute(
    `delete from audit_events where id in (
       select id from audit_events where occurred_at < now() - make_interval(months => ?)
       order by occurred_at limit ?)
     returning 1`,
    [AUDIT_LOG_MONTHS, REMOVED_AT_ONCE],
  );
  return { removed: removed.length, more: removed.length === REMOVED_AT_ONCE };
}
