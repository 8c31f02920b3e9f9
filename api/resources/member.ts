import { z } from 'zod';
import { MAX_MEMBERS } from '../../domain/limits.ts';
import { email } from '../../domain/schemas/addresses.ts';
import type { EndedAccess } from '../../services/accounts/members/change-member-role.ts';
import { type Member, MEMBER_STATUSES } from '../../services/accounts/members/find-members.ts';
import { idParam, timestamp } from './fields.ts';
import { assignableRole, memberRole } from './enums.ts';

export const memberParams = z.object({ user_id: idParam('Id of a member or of an invited user') });

const role = assignableRole.describe('The new role; the owner stays the owner');

export const inviteBody = z.strictObject({
  email: email.describe('Address to invite; a user is created if there is none'),
  role,
});

export const roleBody = z.strictObject({ role });

export const member = z
  .object({
    id: z.uuid().describe('Id of the user'),
    email: z.string().describe('Email address'),
    name: z.string().describe('Name; the email address until they accept the invitation'),
    role: memberRole.describe('Role in the account'),
    status: z
      .enum(MEMBER_STATUSES)
      .describe('`invited` until they accept the invitation; they have no access before'),
    joined_at: timestamp.describe('When they became a member, or were invited'),
    last_active_at: timestamp
      .nullable()
      .describe('When they last made a request in the account, accurate to a minute; null if they have not'),
  })
  .meta({ id: 'Member' });

export const memberList = z.array(member).max(MAX_MEMBERS);

export const removedMember = z
  .object({ detail: z.string().describe('What ended with the membership, for people') })
  .meta({ id: 'RemovedMember' });

export function presentMember({
  id,
  email,
  name,
  role,
  status,
  joinedAt,
  lastActiveAt,
}: Member): z.input<typeof member> {
  return {
    id,
    email,
    name,
    role,
    status,
    joined_at: joinedAt.toISOString(),
    last_active_at: lastActiveAt?.toISOString() ?? null,
  };
}

export function presentRemoval({ sessions, apiKeys }: EndedAccess): z.input<typeof removedMember> {
  return {
    detail: `the member was removed; login sessions ended: ${sessions}, API keys revoked: ${apiKeys}`,
  };
}
