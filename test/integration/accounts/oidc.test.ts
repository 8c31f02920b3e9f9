import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { JWTPayload } from 'jose';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Answer } from '../../support/api.ts';
import { openBrowser, type Browser } from '../../support/browser.ts';
import { mailTo } from '../../support/mails.ts';
import { CLIENT, startOpenIdProvider, type OpenIdProvider } from '../../support/openid-provider.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** Login with an identity provider, and the limits of attempts, on replicas with their own settings. */
const orm = createOrm(readConfig([databaseConfig], process.env));
let provider: OpenIdProvider;
let replica: Replica;

before(async () => {
  provider = await startOpenIdProvider();
  replica = await startReplica({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    PUBLIC_BASE_URL: 'http://localhost:1',
  });
});
after(async () => {
  await replica.stop();
  await provider.stop();
  await orm.close(true);
});

const address = () => `user-${randomUUID().slice(0, 8)}@studio.example`;
const secret = () => randomBytes(9).toString('base64url');

/** Logs in at the provider, which issues an ID token with these claims. */
async function logIn(browser: Browser, claims: JWTPayload): Promise<Answer> {
  const start = await browser.get('/auth/oidc/start');
  assert.equal(start.status, 302, JSON.stringify(start.body));
  const query = provider.logIn(start.headers.get('location') ?? '', claims);
  return browser.get(`/auth/oidc/callback?${query}`);
}

const person = (email = address()) => ({ sub: randomUUID(), email, email_verified: true, name: 'Studio' });

test('a new identity gets an account, can add a password, and logs in again as the same user', async () => {
  const browser = openBrowser(replica.url);
  const methods = await browser.get('/auth/methods');
  assert.deepEqual(
    [methods.status, methods.body],
    [
      200,
      {
        password: true,
        identity_provider: true,
        identity_providers: [{ id: 'default', name: null }],
      },
    ],
  );
  const claims = person();
  const { status, headers } = await logIn(browser, claims);
  assert.deepEqual([status, headers.get('location')], [302, '/']);
  assert.deepEqual([...browser.cookies.keys()], ['session']);
  const { body } = await browser.get('/auth/session');
  assert.deepEqual(
    [body.user.email, body.user.email_verified, body.auth_provider, body.tenant.role],
    [claims.email, true, 'oidc', 'owner'],
  );
  const noPassword = await browser.post('/user/change-password', {
    current_password: 'x',
    new_password: secret(),
  });
  assert.deepEqual([noPassword.status, noPassword.body.code], [400, 'NO_PASSWORD']);

  const password = secret();
  assert.equal((await browser.post('/user/set-initial-password', '12345678')).status, 422);
  const set = await browser.post('/user/set-initial-password', password);
  assert.deepEqual([set.status, set.body], [200, { success: true, auth_provider: 'both' }]);
  assert.equal((await browser.post('/user/set-initial-password', password)).status, 400);
  await mailTo(claims.email, /has a password/);

  const other = openBrowser(replica.url);
  // The subject identifies the user: the address can change at the provider.
  await logIn(other, { ...claims, email: address() });
  assert.equal((await other.get('/auth/session')).body.user.id, body.user.id);
  assert.equal((await other.post('/auth/login', { email: claims.email, password })).status, 200);
});

test('an ID token that is not for this login is refused', async () => {
  const past = Math.floor(Date.now() / 1000) - 3_600;
  for (const wrong of [
    { nonce: 'another' },
    { exp: past, iat: past - 300 },
    { aud: 'somebody-else' },
    { iss: 'http://127.0.0.1:1' },
    { email: undefined },
  ]) {
    const browser = openBrowser(replica.url);
    const { status, body } = await logIn(browser, { ...person(), ...wrong });
    assert.deepEqual([status, body.code], [400, 'IDENTITY_REJECTED'], JSON.stringify(wrong));
    assert.equal(browser.cookies.has('session'), false);
  }
});

test('a callback is accepted once, in the browser that began the login, with its state', async () => {
  const browser = openBrowser(replica.url);
  const start = await browser.get('/auth/oidc/start');
  const query = provider.logIn(start.headers.get('location') ?? '', person());
  const stranger = await openBrowser(replica.url).get(`/auth/oidc/callback?${query}`);
  assert.deepEqual([stranger.status, stranger.body.code], [400, 'IDENTITY_REJECTED']);
  const cookie = browser.cookies.get('oidc') ?? '';
  const forged = await browser.get(`/auth/oidc/callback?${query.replace(/state=.*/, 'state=forged')}`);
  assert.equal(forged.status, 400);
  browser.cookies.set('oidc', cookie);
  assert.equal((await browser.get(`/auth/oidc/callback?${query}`)).status, 400);
  const denied = openBrowser(replica.url);
  await denied.get('/auth/oidc/start');
  assert.equal((await denied.get('/auth/oidc/callback?error=access_denied')).body.code, 'IDENTITY_REJECTED');
});

test('a browser that is refused comes back to the sign-in page, with the reason', async () => {
  const browser = openBrowser(replica.url);
  const navigate = (path: string) => browser.request('GET', path, undefined, { Accept: 'text/html,*/*' });
  await navigate('/auth/oidc/start');
  const { status, headers } = await navigate('/auth/oidc/callback?error=access_denied');
  assert.deepEqual([status, headers.get('location')], [302, '/sign-in']);
  const { code, detail, ...rest } = Object.fromEntries(new URLSearchParams(browser.cookies.get('refusal')));
  assert.deepEqual([code, rest], ['IDENTITY_REJECTED', {}]);
  assert.match(detail ?? '', /start the login again$/);
  assert.deepEqual([...browser.cookies.keys()], ['refusal']);
  // For scripts, and not for long.
  assert.match(browser.setCookies.at(-1) ?? '', /; Path=\/; Max-Age=60; SameSite=Lax$/);

  // Of a link that cannot be read, nothing is shown: a stranger may have written it.
  for (const path of ['/auth/oidc/start?provider=%2F', '/auth/oidc/callback?code=a&Call+us+at+1=%00']) {
    assert.equal((await browser.get(path)).status, 422);
    const unread = await navigate(path);
    assert.deepEqual([unread.status, unread.headers.get('location')], [302, '/sign-in'], path);
    assert.equal(browser.cookies.get('refusal'), 'code=VALIDATION_FAILED&detail=');
  }
});

test('an identity is linked to the account of its address only if the provider has verified the address', async () => {
  const owner = openBrowser(replica.url);
  const [email, password] = [address(), secret()];
  await owner.post('/auth/register', { email, password });
  const { token } = await mailTo(email, /^Verify/);

  for (const claimed of [email, address()]) {
    const refused = await logIn(openBrowser(replica.url), { ...person(claimed), email_verified: false });
    assert.deepEqual([refused.status, refused.body.code], [400, 'IDENTITY_REJECTED'], 'known or not');
  }
  assert.equal((await owner.post('/auth/verify-email', { token, password })).status, 200);

  const linked = openBrowser(replica.url);
  assert.equal((await logIn(linked, person(email))).status, 302);
  const { body } = await linked.get('/auth/session');
  assert.deepEqual([body.user.email, body.auth_provider], [email, 'both']);
  await mailTo(email, /new way to log in/);
});

test('an unverified registration of an address is replaced by the identity that has verified it', async () => {
  const early = openBrowser(replica.url);
  const [email, password] = [address(), secret()];
  await early.post('/auth/register', { email, password });
  const { token } = await mailTo(email, /^Verify/);
  const owner = openBrowser(replica.url);
  assert.equal((await logIn(owner, person(email))).status, 302);
  const { body } = await owner.get('/auth/session');
  assert.deepEqual([body.user.email_verified, body.auth_provider], [true, 'oidc']);
  assert.equal((await early.post('/auth/login', { email, password })).status, 401);
  for (const given of [{ password }, { new_password: secret() }]) {
    assert.ok((await early.post('/auth/verify-email', { token, ...given })).status >= 400);
  }
  assert.equal((await early.post('/auth/login', { email, password })).status, 401);
});

test('attempts are counted per address and per account, on all replicas together', async () => {
  const limits = {
    AUTH_ATTEMPTS_PER_MINUTE: '5',
    TRUSTED_PROXIES: '127.0.0.1',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    PUBLIC_BASE_URL: 'http://localhost:1',
  };
  const replicas = await Promise.all([startReplica(limits), startReplica(limits)]);
  let asked = 0;
  const attempt = (from: string, email: string) =>
    openBrowser(replicas[(asked += 1) % 2]?.url ?? '').post(
      '/auth/login',
      { email, password: 'not the password' },
      { 'X-Forwarded-For': from },
    );
  try {
    for (let count = 0; count < 5; count++) {
      assert.equal((await attempt('203.0.113.7', address())).status, 401);
    }
    const sixth = await attempt('203.0.113.7', address());
    assert.deepEqual([sixth.status, sixth.body.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(sixth.headers.get('retry-after')) > 0);
    assert.equal((await attempt('203.0.113.8', address())).status, 401);

    const email = address();
    // Attempts from one network do not lock out the owner elsewhere; attempts from many networks are bounded.
    for (let count = 0; count < 5; count++) {
      assert.equal((await attempt('198.51.100.1', email)).status, 401);
    }
    assert.equal((await attempt('198.51.100.1', email)).status, 429);
    for (let count = 5; count < 50; count++) {
      assert.equal((await attempt(`198.51.100.${count}`, email)).status, 401);
    }
    assert.equal((await attempt('198.51.100.99', email)).status, 429);

    const browser = openBrowser(replicas[0]?.url ?? '');
    const back = (accept: string) =>
      browser.request('GET', '/auth/oidc/callback?error=access_denied', undefined, {
        Accept: accept,
        'X-Forwarded-For': '203.0.113.9',
      });
    for (let count = 0; count < 5; count++) assert.equal((await back('*/*')).status, 400);
    assert.equal((await back('*/*')).status, 429);
    const { status, headers } = await back('text/html');
    assert.deepEqual([status, headers.get('location')], [302, '/sign-in']);
    assert.match(browser.cookies.get('refusal') ?? '', /^code=RATE_LIMITED&/);
  } finally {
    await Promise.all(replicas.map((one) => one.stop()));
  }
});
