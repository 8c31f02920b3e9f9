import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import type { Preferences } from '../../../domain/accounts/preferences.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { loginOf, type Principal } from '../principal.ts';

/** The caller's own record. */
export async function readProfile(em: EntityManager, principal: Principal): Promise<User> {
  return em.findOneOrFail(User, loginOf(principal).userId, { refresh: true });
}

/** What a user may change. Absent fields stay as they are, null returns a preference to its default. */
export interface ProfileChange {
  name?: string | undefined;
  preferences?: PreferenceChange | undefined;
}
type Change<T> = { [F in keyof T]?: T[F] | null | undefined };
type PreferenceChange = Change<Omit<Preferences, 'notifications'>> & {
  notifications?: Change<NonNullable<Preferences['notifications']>> | null | undefined;
};

/** Changes the caller's own record. */
export async function changeProfile(
  em: EntityManager,
  principal: Principal,
  { name, preferences }: ProfileChange,
  ipAddress: string,
): Promise<User> {
  const { userId, tenantId } = loginOf(principal);
  return em.transactional(async (tx) => {
    const user = await tx.findOneOrFail(User, userId, {
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    });
    if (name !== undefined) user.name = name;
    if (preferences) user.preferences = changed(user.preferences, preferences);
    await recordAuditEvent(tx, {
      tenantId,
      type: 'user.profile_changed',
      credential: principal.credential,
      ipAddress,
    });
    return user;
  });
}

function changed(before: Preferences, change: PreferenceChange): Preferences {
  const { notifications } = change;
  return merged(before, {
    ...change,
    notifications: notifications && merged(before.notifications ?? {}, notifications),
  });
}

function merged<T extends object>(before: T, change: object): T {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const fields = Object.entries({ ...before, ...Object.fromEntries(given) });
  return Object.fromEntries(fields.filter(([, value]) => value !== null)) as T;
}
