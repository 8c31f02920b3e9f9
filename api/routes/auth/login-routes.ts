import { logIn, logOut } from '../../../services/accounts/login-sessions/log-in.ts';
import { loginOf } from '../../../services/accounts/principal.ts';
import { readLogin } from '../../../services/accounts/login-sessions/read-login.ts';
import { switchTenant } from '../../../services/accounts/login-sessions/revoke-login-sessions.ts';
import { admitLogin, ATTEMPT_ERRORS, limitLogin } from '../../http/limit-attempts.ts';
import { refuseForeignOrigin } from '../../http/origin.ts';
import { noContent } from '../../http/responses.ts';
import { publicRoute, route } from '../../http/route.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import { loginBody, loginRecord, presentLogin, switchTenantBody } from '../../resources/login.ts';

/** Login with a password, and the resulting session. */
export const loginRoutes = [
  publicRoute({
    method: 'post',
    path: '/auth/login',
    operationId: 'logIn',
    summary: 'Log in with a password; sets the session cookie',
    tag: 'Authentication',
    body: loginBody,
    answers: { 200: loginRecord },
    errors: [
      ...ATTEMPT_ERRORS,
      'UNAUTHENTICATED',
      'TENANT_DISABLED',
      'NOT_FOUND',
      'IDENTITY_PROVIDER_REQUIRED',
    ],
    admit: admitLogin,
    async handle({ ctx, deps, em, log, body }) {
      const { email, password, tenant_id: tenantId } = body;
      const succeeded = await limitLogin(ctx, deps, email);
      const onUnrecorded = (error: unknown) => log.error({ err: error }, 'a failed login was not recorded');
      const entered = await logIn(
        { em, passwords: deps.passwords, onUnrecorded },
        { email, password, tenantId, client: clientInfo(ctx), previousToken: readSessionCookie(ctx, deps) },
      );
      deps.credentialFailures.accept(entered.token);
      setSessionCookie(ctx, deps, entered.token);
      await succeeded();
      return presentLogin(await readLogin(em, entered));
    },
  }),

  publicRoute({
    method: 'post',
    path: '/auth/logout',
    operationId: 'logOut',
    summary: 'End the session and remove its cookie; succeeds without a session',
    tag: 'Authentication',
    answers: { 204: noContent('Nobody is logged in any more') },
    errors: [...ATTEMPT_ERRORS],
    async admit({ ctx, deps }) {
      refuseForeignOrigin(ctx, deps);
    },
    async handle({ ctx, deps, em }) {
      const token = readSessionCookie(ctx, deps);
      if (token) await logOut(em, token, clientInfo(ctx).ipAddress);
      clearSessionCookie(ctx, deps);
      ctx.status = 204;
    },
  }),

  route({
    method: 'get',
    path: '/auth/session',
    operationId: 'getSession',
    summary: 'The logged-in user, the current tenant and the role in it',
    tag: 'Authentication',
    permit: 'account.manage',
    answers: { 200: loginRecord },
    handle: ({ em, principal }) => readLogin(em, loginOf(principal)),
    present: presentLogin,
  }),

  route({
    method: 'post',
    path: '/auth/switch-tenant',
    operationId: 'switchTenant',
    summary: 'Switch to another tenant of the user',
    tag: 'Authentication',
    permit: 'account.manage',
    body: switchTenantBody,
    answers: { 200: loginRecord },
    errors: ['LOGIN_TOO_OLD', 'NOT_FOUND', 'IDENTITY_PROVIDER_REQUIRED'],
    async handle({ ctx, em, principal, body }) {
      await switchTenant(em, principal, body.tenant_id, clientInfo(ctx).ipAddress);
      return readLogin(em, loginOf(principal));
    },
    present: presentLogin,
  }),
];
