import { listLoginSessions } from '../../../services/accounts/login-sessions/read-login.ts';
import { loginOf } from '../../../services/accounts/principal.ts';
import {
  revokeLoginSession,
  revokeOtherSessions,
} from '../../../services/accounts/login-sessions/revoke-login-sessions.ts';
import { json, noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { clearSessionCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import { loginSessions, presentLoginSession, sessionParams } from '../../resources/user.ts';

/** The login sessions of the user. */
export const userSessionRoutes = [
  route({
    method: 'get',
    path: '/user/sessions',
    operationId: 'listLoginSessions',
    summary: 'List the login sessions of the user, most recently used first',
    tag: 'User settings',
    permit: 'account.manage',
    responses: json(200, loginSessions),
    handle: ({ em, principal }) => listLoginSessions(em, loginOf(principal).userId),
    present: (sessions, { principal }) => {
      const { sessionId } = loginOf(principal);
      return sessions.map((session) => presentLoginSession(session, sessionId));
    },
  }),

  route({
    method: 'delete',
    path: '/user/sessions/:session_id',
    operationId: 'revokeLoginSession',
    summary: 'End one session; it may be the current one',
    tag: 'User settings',
    permit: 'account.manage',
    params: sessionParams,
    responses: noContent('The session has ended'),
    errors: ['NOT_FOUND'],
    async handle({ ctx, deps, em, principal, params }) {
      const { ipAddress } = clientInfo(ctx);
      const own = await revokeLoginSession(em, principal, params.session_id, ipAddress);
      if (own) clearSessionCookie(ctx, deps);
      ctx.status = 204;
    },
  }),

  route({
    method: 'post',
    path: '/user/revoke-all-sessions',
    operationId: 'revokeOtherSessions',
    summary: 'End all sessions except this one',
    tag: 'User settings',
    permit: 'account.manage',
    responses: noContent('All other sessions have ended'),
    async handle({ ctx, em, principal }) {
      await revokeOtherSessions(em, principal, clientInfo(ctx).ipAddress);
      ctx.status = 204;
    },
  }),
];
