import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { AssignableRole, Role } from '../../../domain/accounts/permissions.ts';
import { AppError, invalidField } from '../../../domain/app-error.ts';
import { MAX_INVITATION_MAILS_A_DAY, MAX_MEMBERS } from '../../../domain/limits.ts';
import type { Engine } from '../../../temporal/client.ts';
import { startAccountMail } from '../../../temporal/starters/send-account-mail.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../actor.ts';
import { consumeRateLimits } from '../rate-limits/consume.ts';
import { readCounter } from '../rate-limits/read-counter.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { readMember, type Member } from './find-members.ts';

const DAY_SECONDS = 86_400;

export interface Invitation {
  /** Lower case. */
  email: string;
  role: AssignableRole;
}

/**
 * Makes the user of an address a member, creates the user if there is none, and sends a mail. The same invitation again
 * changes nothing; the mail is sent again as long as the member has not come.
 *
 * @throws AppError VALIDATION_FAILED, ALREADY_MEMBER, MEMBER_LIMIT, RATE_LIMITED; EngineUnavailable, when the mail
 *   could not be sent: then the same invitation again sends it
 */
export async function inviteMember(
  { em, engine }: { em: EntityManager; engine: Engine },
  actor: Actor,
  invitation: Invitation,
): Promise<{ member: Member; isNew: boolean }> {
  const { tenantId } = actor;
  const { userId, isNew } = await em.transactional((tx) => addMember(tx, actor, invitation));
  const member = await readMember(em, tenantId, userId);
  if (member.lastActiveAt === null) {
    await sendInvitation({ em, engine }, tenantId, userId);
  }
  return { member, isNew };
}

async function addMember(
  tx: EntityManager,
  actor: Actor,
  { email, role }: Invitation,
): Promise<{ userId: string; isNew: boolean }> {
  const { tenantId } = actor;
  await lockTenant(tx, tenantId);
  const present = await findMembership(tx, tenantId, email);
  if (present) {
    if (present.role === role) return { userId: present.user_id, isNew: false };
    throw new AppError('ALREADY_MEMBER', `${email} is a member already, with the role ${present.role}`);
  }
  await refuseForeignDomain(tx, tenantId, email);
  await refuseTooManyMembers(tx, tenantId);
  const userId = await userOf(tx, email);
  await tx.execute('insert into memberships (tenant_id, user_id, role, joined_at) values (?, ?, ?, now())', [
    tenantId,
    userId,
    role,
  ]);
  await recordAuditEvent(tx, {
    ...actor,
    type: 'member.invited',
    resource: { type: 'user', id: userId },
    metadata: { role },
  });
  return { userId, isNew: true };
}

async function findMembership(
  tx: EntityManager,
  tenantId: string,
  email: string,
): Promise<{ user_id: string; role: Role } | undefined> {
  const [membership] = await tx.execute<{ user_id: string; role: Role }[]>(
    'select m.user_id, m.role from memberships m join users u on u.id = m.user_id where m.tenant_id = ? and u.email = ?',
    [tenantId, email],
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
    `the account admits only addresses of its allowed_domains: ${shown}${more}`,
  );
}

async function refuseTooManyMembers(tx: EntityManager, tenantId: string): Promise<void> {
  const [counted] = await tx.execute<{ members: number }[]>(
    'select count(*)::int as members from memberships where tenant_id = ?',
    [tenantId],
  );
  if ((counted?.members ?? 0) < MAX_MEMBERS) return;
  throw new AppError('MEMBER_LIMIT', `an account has at most ${MAX_MEMBERS} members`);
}

/** The user of an address, created without a password if there is none; of two at once, one is created. */
async function userOf(tx: EntityManager, email: string): Promise<string> {
  await tx.execute(
    'insert into users (id, email, name, created_at) values (?, ?, ?, now()) on conflict (email) do nothing',
    [randomUUID(), email, email],
  );
  const [user] = await tx.execute<{ id: string }[]>('select id from users where email = ?', [email]);
  if (!user) throw new Error('a user vanished while being invited');
  return user.id;
}

/** Nobody can have an address flooded. A mail that could not be sent does not count. */
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
