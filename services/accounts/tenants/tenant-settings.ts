import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { creditMonth } from '../../../domain/accounts/credits.ts';
import type { LayoutChoice } from 'darkroom-reader/document';
import type { VlmProvider } from '../../../domain/accounts/vlm-providers.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../principal.ts';
import { lockTenantAsAdmin } from './lock-tenant.ts';

export interface TenantSettings {
  tenant: Tenant;
  /** Null if the tenant has no owner, such as one made by a test. */
  ownerId: string | null;
  /** Credits reserved or spent this month, and ever. */
  monthCredits: number;
  allCredits: number;
}

/** Settings that members of a tenant can change; the others are set by `npm run admin`. */
export interface TenantChanges {
  name?: string;
  /** Null allows all. */
  allowedVlmProviders?: VlmProvider[] | null;
  pageLayout?: LayoutChoice;
  /** Empty allows all. */
  allowedDomains?: string[];
  /** Length of login sessions; null for the maximum. */
  sessionHours?: number | null;
  /** Null: files stay. */
  retentionDays?: number | null;
  /** Null: as long as usual. */
  trashDays?: number | null;
  customConfig?: Record<string, unknown>;
}

export async function readTenantSettings(
  em: EntityManager,
  tenantId: string,
  now = new Date(),
): Promise<TenantSettings> {
  const tenant = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  const [row] = await em.execute<{ owner_id: string | null; month: string; all: string }[]>(
    `select (select user_id from memberships where tenant_id = ? and role = 'owner' order by joined_at limit 1) as owner_id,
       coalesce(sum(used) filter (where month = ?), 0) as month, coalesce(sum(used), 0) as all
     from credit_balances where tenant_id = ?`,
    [tenantId, creditMonth(now), tenantId],
  );
  return {
    tenant,
    ownerId: row?.owner_id ?? null,
    monthCredits: Number(row?.month ?? 0),
    allCredits: Number(row?.all ?? 0),
  };
}

/**
 * Changes the given fields and returns all. Two requests that change different fields do not undo each other. A shorter length
 * of sessions also holds for those that are open.
 *
 * @throws AppError FORBIDDEN
 */
export async function changeTenantSettings(
  em: EntityManager,
  actor: Actor,
  changes: TenantChanges,
): Promise<TenantSettings> {
  const { tenantId } = actor;
  const changed = Object.keys(changes).map((field) => AUDITED_AS[field as keyof TenantChanges]);
  if (changed.length > 0) {
    await em.transactional(async (tx) => {
      await lockTenantAsAdmin(tx, actor);
      await tx.nativeUpdate(Tenant, tenantId, { ...changes, updatedAt: new Date() });
      if (changes.sessionHours) {
        await tx.execute(
          `update login_sessions set expires_at = least(expires_at, created_at + ? * interval '1 hour')
           where tenant_id = ?`,
          [changes.sessionHours, tenantId],
        );
      }
      await recordAuditEvent(tx, {
        ...actor,
        type: 'tenant.settings_changed',
        resource: { type: 'tenant', id: tenantId },
        // Names only: the contents of custom_config are private. What deletes files is said in full.
        metadata: {
          changed,
          ...(changes.retentionDays !== undefined && { retention_days: changes.retentionDays }),
          ...(changes.trashDays !== undefined && { trash_days: changes.trashDays }),
        },
      });
    });
  }
  return readTenantSettings(em, tenantId);
}

const AUDITED_AS: Readonly<Record<keyof TenantChanges, string>> = {
  name: 'name',
  allowedVlmProviders: 'allowed_vlm_providers',
  pageLayout: 'page_layout',
  allowedDomains: 'allowed_domains',
  sessionHours: 'session_hours',
  retentionDays: 'retention_days',
  trashDays: 'trash_days',
  customConfig: 'custom_config',
};
