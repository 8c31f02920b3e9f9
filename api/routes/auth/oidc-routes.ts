import { notFound } from '../../../domain/app-error.ts';
import { beginOidcLogin, finishOidcLogin } from '../../../services/accounts/oidc-login.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import type { ApiDeps } from '../../deps.ts';
import { admitAttempt, ATTEMPT_ERRORS } from '../../http/limit-attempts.ts';
import { redirect } from '../../http/responses.ts';
import { publicRoute } from '../../http/route.ts';
import { oidcCookie, readSessionCookie, setSessionCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import { loginMethods, oidcReturn } from '../../resources/login.ts';

/** Login at an external identity provider. Browsers are redirected there, and return here. */
export const oidcRoutes = [
  publicRoute({
    method: 'get',
    path: '/auth/methods',
    operationId: 'getLoginMethods',
    summary: 'How users of this service can log in',
    tag: 'Authentication',
    answers: { 200: loginMethods },
    // Reads a setting and no data.
    async admit() {},
    handle: async ({ deps }) => ({ password: true, identity_provider: deps.oidc !== undefined }),
  }),

  publicRoute({
    method: 'get',
    path: '/auth/oidc/start',
    operationId: 'startOidcLogin',
    summary: 'Log in at the identity provider, if one is configured',
    tag: 'Authentication',
    answers: { 302: redirect('To the identity provider') },
    errors: [...ATTEMPT_ERRORS, 'NOT_FOUND'],
    admit: admitAttempt('oidc-start'),
    async handle({ ctx, deps, em }) {
      const { url, cookie } = await beginOidcLogin(em, providerOf(deps));
      oidcCookie.set(ctx, deps, cookie);
      ctx.redirect(url.href);
    },
  }),

  publicRoute({
    method: 'get',
    path: '/auth/oidc/callback',
    operationId: 'finishOidcLogin',
    summary: 'Return from the identity provider; sets the session cookie',
    tag: 'Authentication',
    query: oidcReturn,
    answers: { 302: redirect('To the start page, logged in') },
    errors: [...ATTEMPT_ERRORS, 'NOT_FOUND', 'IDENTITY_REJECTED', 'TENANT_DISABLED'],
    admit: admitAttempt('oidc-callback'),
    async handle({ ctx, deps, em, log }) {
      const provider = providerOf(deps);
      const cookie = oidcCookie.read(ctx, deps);
      oidcCookie.clear(ctx, deps);
      const { entered, mail } = await finishOidcLogin(em, provider, {
        query: ctx.querystring,
        cookie,
        previousToken: readSessionCookie(ctx, deps),
        client: clientInfo(ctx),
      });
      if (mail) {
        await startAccountMail(deps.engine, mail).catch((error: unknown) =>
          log.warn({ err: error }, 'an email after a login was not started'),
        );
      }
      deps.credentialFailures.accept(entered.token);
      setSessionCookie(ctx, deps, entered.token);
      ctx.redirect('/');
    },
  }),
];

function providerOf({ oidc }: ApiDeps) {
  if (!oidc) throw notFound('identity provider');
  return oidc;
}
