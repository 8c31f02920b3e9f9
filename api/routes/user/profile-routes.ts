import { deleteAccount } from '../../../services/accounts/users/delete-account.ts';
import { changeProfile, readProfile } from '../../../services/accounts/users/profile.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import { noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { clearSessionCookie, deviceCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import {
  deleteAccountBody,
  message,
  presentProfile,
  profileBody,
  userProfile,
  loginSessions,
  presentLoginSession,
  sessionParams,
} from '../../resources/user.ts';
import { listLoginSessions } from '../../../services/accounts/login-sessions/read-login.ts';
import { loginOf } from '../../../services/accounts/principal.ts';
import {
  revokeLoginSession,
  revokeOtherSessions,
} from '../../../services/accounts/login-sessions/revoke-login-sessions.ts';

/** The user who is logged in. */
export const userProfileRoutes = [
  route({
    method: 'get',
    path: '/user/profile',
    operationId: 'getProfile',
    summary: 'Profile of the user',
    tag: 'User settings',
    permit: 'account.manage',
    answers: { 200: userProfile },
    handle: ({ em, principal }) => readProfile(em, principal),
    present: presentProfile,
  }),

  route({
    method: 'patch',
    path: '/user/profile',
    operationId: 'changeProfile',
    summary: 'Change name and preferences',
    tag: 'User settings',
    permit: 'account.manage',
    body: profileBody,
    answers: { 200: userProfile },
    handle: ({ ctx, em, principal, body }) => changeProfile(em, principal, body, clientInfo(ctx).ipAddress),
    present: presentProfile,
  }),

  route({
    method: 'post',
    path: '/user/account/delete',
    operationId: 'deleteAccount',
    summary: 'Permanently delete the account and the tenants that the user owns',
    description: 'The address that the user had is told by email.',
    tag: 'User settings',
    permit: 'account.manage',
    limit: { requests: 3, per: 'day', of: 'user' },
    body: deleteAccountBody,
    answers: { 200: message },
    errors: ['TENANT_HAS_MEMBERS', 'FILE_HELD', 'WRONG_PASSWORD', 'LOGIN_TOO_OLD'],
    async handle({ ctx, deps, em, log, principal, body }) {
      const { passwords, engine } = deps;
      const proof = { password: body.password, client: clientInfo(ctx) };
      const to = await deleteAccount({ em, passwords }, principal, proof);
      clearSessionCookie(ctx, deps);
      deviceCookie.clear(ctx, deps);
      const { userId } = loginOf(principal);
      await startAccountMail(engine, { kind: 'account_deleted', userId, to }).catch((error: unknown) =>
        log.warn({ err: error }, 'the notice of a deleted account was not started'),
      );
      return { message: 'The account is deleted. Its files are being removed.' };
    },
  }),
];

/** The login sessions of the user. */
export const userSessionRoutes = [
  route({
    method: 'get',
    path: '/user/sessions',
    operationId: 'listLoginSessions',
    summary: 'List the login sessions of the user, most recently used first',
    tag: 'User settings',
    permit: 'account.manage',
    answers: { 200: loginSessions },
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
    answers: { 204: noContent('The session has ended') },
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
    answers: { 204: noContent('All other sessions have ended') },
    async handle({ ctx, em, principal }) {
      await revokeOtherSessions(em, principal, clientInfo(ctx).ipAddress);
      ctx.status = 204;
    },
  }),
];
