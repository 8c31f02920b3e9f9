import type { EndedAccess } from '../../../services/accounts/members/change-member-role.ts';
import type { Member } from '../../../services/accounts/members/find-members.ts';

export function presentMember({ id, email, name, role, status, joinedAt, lastActiveAt }: Member) {
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

export function presentRemoval({ sessions, apiKeys }: EndedAccess) {
  return {
    detail: `the member was removed; login sessions ended: ${sessions}, API keys revoked: ${apiKeys}`,
  };
}
