import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { AuditEvent } from '../../db/entities/accounts/audit-event.ts';
import type { Credential } from '../../domain/accounts/access.ts';
import { severityOf, type AuditEventType, type AuditResult } from '../../domain/accounts/audit-events.ts';

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

/** Writes an entry of the audit log, in the caller's transaction: what is undone is not logged as done. */
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
