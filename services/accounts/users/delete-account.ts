import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../../domain/accounts/permissions.ts';
import { AppError } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { loginOf, type Principal } from '../principal.ts';
import type { ClientInfo } from '../login-sessions/open-login-session.ts';
import type { PasswordHasher } from '../password.ts';
import { proveUser } from './change-password.ts';
import { endMembership } from '../members/change-member-role.ts';

/** Tables whose rows are deleted with the user. */
const PARTS_OF_A_USER = [
  'login_sessions',
  'account_tokens',
  'external_identities',
  'memberships',
  'invitations',
] as const;

/**
 * Deletes the caller's account for good, with the tenants that they own: logins and keys stop working there, and their
 * files are removed by the sweep and the purge, see services/recovery/empty-deleted-tenants.ts. The user's row is
 * reduced to its id. Ledger and audit log stay.
 *
 * @returns the address that the user had
 * @throws AppError TENANT_HAS_MEMBERS, FILE_HELD, and as `proveUser`
 */
export async function deleteAccount(
  { em, passwords }: { em: EntityManager; passwords: PasswordHasher },
  principal: Principal,
  { password, client }: { password: string | undefined; client: ClientInfo },
): Promise<string> {
  const { userId, tenantId } = loginOf(principal);
  const { credential } = principal;
  const { ipAddress } = client;
  const proof = { password, client, reason: 'user.deleted' } as const;
  const { email } = await proveUser({ em, passwords }, principal, proof);
  await em.transactional(async (tx) => {
    const owned = await lockOwnedTenants(tx, userId);
    const shared = owned.find(({ members }) => members > 1);
    if (shared) {
      const message = `the tenant "${shared.name}" has ${shared.members - 1} other members; remove them first`;
      throw new AppError('TENANT_HAS_MEMBERS', message);
    }
    for (const { id, name } of owned) {
      const [held] = await tx.execute<{ id: string }[]>(
        'select id from files where tenant_id = ? and hold is not null limit 1',
        [id],
      );
      const message = `the tenant "${name}" has files that are held: an admin has to release them first`;
      if (held) throw new AppError('FILE_HELD', message);
    }
    const resource = { type: 'user', id: userId };
    await recordAuditEvent(tx, { tenantId, type: 'user.deleted', credential, ipAddress, resource });
    for (const { id } of owned) {
      const what = { type: 'tenant', id };
      await recordAuditEvent(tx, {
        tenantId: id,
        type: 'tenant.deleted',
        credential,
        ipAddress,
        resource: what,
      });
      await closeTenant(tx, id);
    }
    await leaveTenants(tx, userId, { credential, ipAddress });
    for (const table of PARTS_OF_A_USER) await tx.execute(`delete from ${table} where user_id = ?`, [userId]);
    await tx.execute(
      `update users set email = 'deleted-' || id || '@invalid', name = 'Deleted user', password_hash = null,
         pending_email = null, email_verified_at = null, is_active = false, preferences = '{}' where id = ?`,
      [userId],
    );
  });
  return email;
}

/** Locked, so that no member joins meanwhile: a membership locks the tenant for its foreign key. */
async function lockOwnedTenants(
  tx: EntityManager,
  userId: string,
): Promise<{ id: string; name: string; members: number }[]> {
  const owned = await tx.execute<{ id: string }[]>(
    `select t.id from tenants t join memberships m on m.tenant_id = t.id
     where m.user_id = ? and m.role = 'owner' order by t.id for update of t`,
    [userId],
  );
  if (owned.length === 0) return [];
  // A separate statement, to see members added while the lock was awaited.
  return tx.execute(
    `select t.id, t.name, count(*)::int as members from tenants t join memberships m on m.tenant_id = t.id
     where t.id in (${owned.map(() => '?').join(', ')}) group by t.id, t.name order by t.id`,
    owned.map(({ id }) => id),
  );
}

/** Removes the user from other tenants; their keys there are revoked. */
async function leaveTenants(
  tx: EntityManager,
  userId: string,
  who: { credential: Principal['credential']; ipAddress: string },
): Promise<void> {
  const others = await tx.execute<{ tenant_id: string; role: Role }[]>(
    `select tenant_id, role from memberships where user_id = ? and role <> 'owner' order by tenant_id for update`,
    [userId],
  );
  for (const { tenant_id: tenantId, role } of others) {
    const ended = await endMembership(tx, tenantId, userId);
    await recordAuditEvent(tx, {
      ...who,
      tenantId,
      type: 'member.removed',
      resource: { type: 'user', id: userId },
      metadata: {
        role,
        sessions_ended: ended.sessions,
        api_keys_revoked: ended.apiKeys,
        account_deleted: true,
      },
    });
  }
}

async function closeTenant(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute(
    `update tenants set is_active = false, deleted_at = now(), name = 'Deleted tenant', custom_config = '{}',
       updated_at = now() where id = ?`,
    [tenantId],
  );
  await tx.execute('update api_keys set revoked_at = now() where tenant_id = ? and revoked_at is null', [
    tenantId,
  ]);
  await tx.execute('delete from login_sessions where tenant_id = ?', [tenantId]);
  await tx.execute('delete from account_tokens where tenant_id = ?', [tenantId]);
  await tx.execute('delete from invitations where tenant_id = ?', [tenantId]);
  await tx.execute('delete from connections where tenant_id = ?', [tenantId]);
  await tx.execute(
    `update imports set status = 'cancelled', reason = null, next_pass_at = null, completed_at = now(), updated_at = now(),
       engine_due_at = now()
     where tenant_id = ? and (status in ('pending', 'running', 'waiting', 'paused') or next_pass_at is not null)`,
    [tenantId],
  );
  await tx.execute(
    'update webhook_subscriptions set enabled = false, deleted_at = now() where tenant_id = ? and deleted_at is null',
    [tenantId],
  );
  await tx.execute(
    `update webhook_deliveries set status = 'cancelled', ended_at = now(), next_attempt_at = null, engine_due_at = now()
     where id in (
       select id from webhook_deliveries where tenant_id = ? and status in ('sending', 'retrying')
       order by id for no key update)`,
    [tenantId],
  );
}
