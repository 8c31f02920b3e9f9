import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { Invitation as InvitationRow } from '../../../db/entities/accounts/invitation.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { AssignableRole, Role } from '../../../domain/accounts/permissions.ts';
import { AppError, invalidField } from '../../../domain/app-error.ts';
import { MAX_INVITATION_MAILS_A_DAY, MAX_MEMBERS } from '../../../domain/limits.ts';
import type { Engine } from '../../../temporal/client.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../principal.ts';
import { consumeRateLimits, readCounter } from '../consume.ts';
import { lockTenantAsAdmin } from '../tenants/lock-tenant.ts';
import { readMember, type Member } from './find-members.ts';

const DAY_SECONDS = 86_400;

export interface Invitation {
  /** Lower case. */
  email: string;
  role: AssignableRole;
}

/**
 * Invites the user of an address, creates the user if there is none, and sends an email; accepting it makes them a
 * member. The same invitation again changes nothing; the email is sent again until it is accepted.
 *
 * @throws AppError VALIDATION_FAILED, ALREADY_MEMBER, MEMBER_LIMIT, RATE_LIMITED; EngineUnavailable, when the email
 *   could not be sent: then the same invitation again sends it
 */
export async function inviteMember(
  { em, engine }: { em: EntityManager; engine: Engine },
  actor: Actor,
  invitation: Invitation,
): Promise<{ member: Member; isNew: boolean }> {
  const { tenantId } = actor;
  const { userId, isNew } = await em.transactional((tx) => addInvitation(tx, actor, invitation));
  const member = await readMember(em, tenantId, userId);
  if (member.status === 'invited') await sendInvitation({ em, engine }, tenantId, userId);
  return { member, isNew };
}

async function addInvitation(
  tx: EntityManager,
  actor: Actor,
  { email, role }: Invitation,
): Promise<{ userId: string; isNew: boolean }> {
  const { tenantId } = actor;
  await lockTenantAsAdmin(tx, actor);
  const present = await findPresent(tx, tenantId, email);
  if (present) {
    if (present.role === role) return { userId: present.user_id, isNew: false };
    throw new AppError(
      'ALREADY_MEMBER',
      `${email} is a member or invited already, with the role ${present.role}`,
    );
  }
  await refuseForeignDomain(tx, tenantId, email);
  await refuseTooManyMembers(tx, tenantId);
  const userId = await userOf(tx, email);
  await tx.insert(InvitationRow, { tenantId, userId, role, createdAt: new Date() });
  await recordAuditEvent(tx, {
    ...actor,
    type: 'member.invited',
    resource: { type: 'user', id: userId },
    metadata: { role },
  });
  return { userId, isNew: true };
}

/** The membership of an address, or the invitation to one. */
async function findPresent(
  tx: EntityManager,
  tenantId: string,
  email: string,
): Promise<{ user_id: string; role: Role } | undefined> {
  const [membership] = await tx.execute<{ user_id: string; role: Role }[]>(
    `select m.user_id, m.role from (
       select user_id, role from memberships where tenant_id = ?
       union all select user_id, role from invitations where tenant_id = ?) m
     join users u on u.id = m.user_id where u.email = ?`,
    [tenantId, tenantId, email],
  );
  return membership;
}

async function refuseForeignDomain(tx: EntityManager, tenantId: string, email: string): Promise<void> {
  const { allowedDomains } = await tx.findOneOrFail(Tenant, tenantId, { refresh: true });
  if (allowedDomains.length === 0 || allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1))) return;
  const shown = allowedDomains.slice(0, 5).join(', ');
  const more = allowedDomains.length > 5 ? ', …' : '';
  throw invalidField(
    '/body/email',
    `only addresses of these domains may be invited (the setting allowed_domains of PATCH /tenant/settings): ${shown}${more}`,
  );
}

/** @throws AppError MEMBER_LIMIT. Call it under the lock of the tenant. */
export async function refuseTooManyMembers(tx: EntityManager, tenantId: string): Promise<void> {
  const [counted] = await tx.execute<{ members: number }[]>(
    `select (select count(*) from memberships where tenant_id = ?)::int
       + (select count(*) from invitations where tenant_id = ?)::int as members`,
    [tenantId, tenantId],
  );
  if ((counted?.members ?? 0) < MAX_MEMBERS) return;
  throw new AppError(
    'MEMBER_LIMIT',
    `an account has at most ${MAX_MEMBERS} members, those included who are invited`,
  );
}

/** The user of an address, created without a password if missing. Concurrent calls create one user. */
async function userOf(tx: EntityManager, email: string): Promise<string> {
  await tx.execute(
    'insert into users (id, email, name, created_at) values (?, ?, ?, now()) on conflict (email) do nothing',
    [randomUUID(), email, email],
  );
  const [user] = await tx.execute<{ id: string }[]>('select id from users where email = ?', [email]);
  if (!user) throw new Error('a user vanished while being invited');
  return user.id;
}

/** Limits the emails to one address. Those that could not be sent do not count. */
async function sendInvitation(
  { em, engine }: { em: EntityManager; engine: Engine },
  tenantId: string,
  userId: string,
): Promise<void> {
  const key = `invitation/${tenantId}/${userId}`;
  const { used, resetsInSeconds } = await readCounter(em, key);
  if (used >= MAX_INVITATION_MAILS_A_DAY) {
    throw new AppError(
      'RATE_LIMITED',
      `at most ${MAX_INVITATION_MAILS_A_DAY} invitations a day to one address`,
      {
        retryAfterSeconds: resetsInSeconds,
      },
    );
  }
  await startAccountMail(engine, { kind: 'invitation', userId, tenantId });
  await consumeRateLimits(em, [{ key, requests: MAX_INVITATION_MAILS_A_DAY, seconds: DAY_SECONDS }]);
}
