import type { z } from 'zod';
import type { EndedAccess } from '../../../services/accounts/members/end-membership.ts';
import type { Member } from '../../../services/accounts/members/find-members.ts';
import type { member, removedMember } from './schema.ts';

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
