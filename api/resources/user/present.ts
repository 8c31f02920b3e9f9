import type { z } from 'zod';
import type { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import type { User } from '../../../db/entities/accounts/user.ts';
import { endOfSession } from '../../../services/accounts/login-sessions/list-login-sessions.ts';
import type { loginSession, userProfile } from './schema.ts';

/** A user, to themselves. */
export function presentProfile(user: User): z.input<typeof userProfile> {
  const { timezone, theme, language, notifications } = user.preferences;
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    is_active: user.isActive,
    email_verified: Boolean(user.emailVerifiedAt),
    created_at: user.createdAt.toISOString(),
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    preferences: {
      timezone: timezone ?? null,
      theme: theme ?? null,
      language: language ?? null,
      notifications: { email: notifications?.email ?? null, browser: notifications?.browser ?? null },
    },
  };
}

export function presentLoginSession(session: LoginSession, currentId: string): z.input<typeof loginSession> {
  return {
    id: session.id,
    user_agent: session.userAgent,
    ip_address: session.ipAddress,
    created_at: session.createdAt.toISOString(),
    last_activity_at: session.lastActivityAt.toISOString(),
    expires_at: endOfSession(session).toISOString(),
    is_current: session.id === currentId,
  };
}
