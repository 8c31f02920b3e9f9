import type { z } from 'zod';
import { endOfSession } from '../../../services/accounts/login-sessions/list-login-sessions.ts';
import type { LoginRecord } from '../../../services/accounts/login-sessions/read-login.ts';
import { presentProfile } from '../user/present.ts';
import type { loginRecord } from './schema.ts';

/** Who is logged in, and where they can act. */
export function presentLogin({
  session,
  user,
  authProvider,
  tenant,
  tenants,
}: LoginRecord): z.input<typeof loginRecord> {
  return {
    user: presentProfile(user),
    auth_provider: authProvider,
    tenant,
    tenants,
    session_id: session.id,
    expires_at: endOfSession(session).toISOString(),
  };
}
