import { SINGLE_PROVIDER } from '../../../adapters/oidc/config.ts';
import type { OidcProvider } from '../../../adapters/oidc/oidc-provider.ts';
import { AppError, ERRORS, notFound, type ErrorCode } from '../../../domain/app-error.ts';
import { beginOidcLogin, finishOidcLogin } from '../../../services/accounts/oidc-login.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import type { ApiDeps } from '../../deps.ts';
import { admitAttempt, ATTEMPT_ERRORS } from '../../http/limit-attempts.ts';
import { redirect } from '../../http/responses.ts';
import { publicRoute, type Call, type PublicRequest } from '../../http/route.ts';
import {
  oidcCookie,
  readSessionCookie,
  setRefusalCookie,
  setSessionCookie,
} from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import { stateOf } from '../../http/state.ts';
import { loginMethods, oidcProviderParams, oidcReturn, oidcStart } from '../../resources/login.ts';

const RETURN_ERRORS = [
  ...ATTEMPT_ERRORS,
  'NOT_FOUND',
  'IDENTITY_REJECTED',
  'IDENTITY_PROVIDER_REQUIRED',
  'MEMBER_LIMIT',
  'TENANT_DISABLED',
] as const satisfies readonly ErrorCode[];

const OR_SIGN_IN =
  '; a browser (`Accept: text/html`) whose login is refused, to the sign-in page, which says why. Outages are errors for browsers too';
const TO_START_PAGE = redirect(`To the start page, logged in${OR_SIGN_IN}`);

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
    handle: async ({ deps: { oidc } }) => ({
      password: true,
      identity_provider: oidc.size > 0,
      identity_providers: [...oidc.values()].map(({ id, name }) => ({ id, name: name ?? null })),
    }),
  }),

  publicRoute({
    method: 'get',
    path: '/auth/oidc/start',
    operationId: 'startOidcLogin',
    summary:
      'Log in at the identity provider, if one is configured; the first one unless `provider` names another',
    tag: 'Authentication',
    query: oidcStart,
    answers: { 302: redirect(`To the identity provider${OR_SIGN_IN}`) },
    errors: [...ATTEMPT_ERRORS, 'NOT_FOUND'],
    admit: admitAttempt('oidc-start'),
    async handle({ ctx, deps, em, query }) {
      const [first] = deps.oidc.keys();
      const { url, cookie } = await beginOidcLogin(em, providerOf(deps, query.provider ?? first));
      oidcCookie.set(ctx, deps, cookie);
      ctx.redirect(url.href);
    },
    answerError: toSignIn,
  }),

  publicRoute({
    method: 'get',
    path: '/auth/oidc/callback',
    operationId: 'finishOidcLogin',
    summary: 'Return from the identity provider; sets the session cookie',
    tag: 'Authentication',
    query: oidcReturn,
    answers: { 302: TO_START_PAGE },
    errors: RETURN_ERRORS,
    admit: admitAttempt('oidc-callback'),
    handle: (call) => finish(call, providerOf(call.deps, SINGLE_PROVIDER)),
    answerError: toSignIn,
  }),

  publicRoute({
    method: 'get',
    path: '/auth/oidc/callback/:provider',
    operationId: 'finishProviderLogin',
    summary: 'Return from one of several identity providers; sets the session cookie',
    tag: 'Authentication',
    params: oidcProviderParams,
    query: oidcReturn,
    answers: { 302: TO_START_PAGE },
    errors: RETURN_ERRORS,
    admit: admitAttempt('oidc-callback'),
    handle: (call) => finish(call, providerOf(call.deps, call.params.provider)),
    answerError: toSignIn,
  }),
];

/** Sends a browser whose login is refused to the sign-in page, with the reason; programs get the error. */
function toSignIn(error: unknown, { ctx, deps }: PublicRequest): void {
  // Faults of the service are answered as such, or they would count as none.
  const isRefusal = error instanceof AppError && ERRORS[error.code].status < 500;
  if (!isRefusal || !ctx.get('Accept').includes('text/html')) throw error;
  stateOf(ctx).errorCode = error.code;
  // It names parts of the link, which a stranger may have written.
  const detail = error.code === 'VALIDATION_FAILED' ? '' : error.message;
  setRefusalCookie(ctx, deps, { code: error.code, detail });
  ctx.redirect('/sign-in');
}

async function finish(
  { ctx, deps, em, log }: Pick<Call<unknown, unknown, unknown>, 'ctx' | 'deps' | 'em' | 'log'>,
  provider: OidcProvider,
): Promise<void> {
  const cookie = oidcCookie.read(ctx, deps);
  oidcCookie.clear(ctx, deps);
  const { entered, mail } = await finishOidcLogin({ em, providers: deps.oidc }, provider, {
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
}

/** @throws AppError NOT_FOUND */
function providerOf({ oidc }: ApiDeps, id: string | undefined): OidcProvider {
  const provider = id === undefined ? undefined : oidc.get(id);
  if (!provider) throw notFound('identity provider');
  return provider;
}
