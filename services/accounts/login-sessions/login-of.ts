import { AppError } from '../../../domain/app-error.ts';
import type { Principal } from '../principal.ts';

/** The person behind a request, and the session that they are logged in with. */
export interface CurrentLogin {
  userId: string;
  sessionId: string;
  tenantId: string;
}

/** @throws AppError LOGIN_SESSION_REQUIRED for an API key, which is no person */
export function loginOf({ tenantId, credential }: Principal): CurrentLogin {
  if (credential.kind === 'session') {
    return { userId: credential.userId, sessionId: credential.sessionId, tenantId };
  }
  throw new AppError('LOGIN_SESSION_REQUIRED', 'this needs a login session');
}
