import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { User } from '../../../db/entities/accounts/user.ts';
import { recordUserEvent } from '../record-user-event.ts';

/**
 * The user to send an email to. For an unknown address the id of nobody, whose email goes nowhere: what follows is the same
 * for both, so that an answer does not tell whether there is a user.
 */
export async function findMailRecipient(em: EntityManager, email: string): Promise<string> {
  const user = await em.findOne(User, { email, isActive: true }, { fields: ['id'] });
  return user?.id ?? randomUUID();
}

/** Records that the reset of a password was asked for; nothing for the id of nobody. */
export function recordResetRequest(em: EntityManager, userId: string, ipAddress: string): Promise<void> {
  return recordUserEvent(em, { type: 'auth.password_reset_requested', userId, ipAddress });
}
