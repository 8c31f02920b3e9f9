import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun } from '../support/api.ts';
import { openBrowser, type Browser } from '../support/browser.ts';
import { connectLive } from '../support/live-client.ts';
import { mailsTo, mailTo } from '../support/mails.ts';
import { register } from '../support/register.ts';

const run = sharedRun();
const address = () => `user-${randomUUID().slice(0, 8)}@studio.example`;
const secret = () => randomBytes(9).toString('base64url');

async function registered(): Promise<{ browser: Browser; email: string; password: string }> {
  const browser = openBrowser(run.api_url);
  const [email, password] = [address(), secret()];
  await register(browser, { email, password });
  assert.equal((await browser.post('/auth/login', { email, password })).status, 200);
  return { browser, email, password };
}

test('a user registers, verifies the address by email, and logs in to a new tenant', async () => {
  const browser = openBrowser(run.api_url);
  const [email, password] = [address(), secret()];
  const registration = { email: email.toUpperCase(), password, name: 'Studio', tenant_name: 'Our studio' };
  assert.equal((await browser.post('/auth/register', registration)).status, 202);
  assert.equal(browser.cookies.size, 0);

  const early = await browser.post('/auth/login', { email, password });
  assert.deepEqual([early.status, early.body.code], [401, 'UNAUTHENTICATED']);
  const { token, text } = await mailTo(email, /^Verify/);
  assert.match(text, /\/account\/verify-email#token/);
  for (const [given, status, code] of [
    [{}, 422, 'VALIDATION_FAILED'],
    [{ password, new_password: password }, 422, 'VALIDATION_FAILED'],
    [{ password: 'not the password' }, 403, 'WRONG_PASSWORD'],
    [{ new_password: ' '.repeat(8) }, 422, 'VALIDATION_FAILED'],
  ] as const) {
    const refused = await browser.post('/auth/verify-email', { token, ...given });
    assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(given));
  }
  const uses = await Promise.all(
    [1, 2, 3].map(() => browser.post('/auth/verify-email', { token, password })),
  );
  assert.deepEqual(uses.map(({ status }) => status).toSorted(), [200, 400, 400]);
  const again = await browser.post('/auth/verify-email', { token, password });
  assert.deepEqual([again.status, again.body.code], [400, 'TOKEN_INVALID']);

  const login = await browser.post('/auth/login', { email, password });
  assert.equal(login.status, 200, JSON.stringify(login.body));
  assert.deepEqual(
    [login.body.user.email, login.body.user.email_verified, login.body.tenant.name, login.body.tenant.tier],
    [email, true, 'Our studio', 'free'],
  );
  assert.equal(login.body.tenant.role, 'owner');
  assert.match(
    browser.setCookies[0] ?? '',
    /^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  assert.equal((await browser.get('/files')).status, 200);

  // Where the link of the email leads.
  const page = await fetch(new URL('/account/verify-email', run.api_url), {
    headers: { Accept: 'text/html' },
  });
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
});

test('the owner of an address that someone else registered verifies it with a new password', async () => {
  const [email, strangers, own] = [address(), secret(), secret()];
  const [stranger, owner] = [openBrowser(run.api_url), openBrowser(run.api_url)];
  await stranger.post('/auth/register', { email, password: strangers });
  const { token } = await mailTo(email, /^Verify/);
  assert.equal((await owner.post('/auth/verify-email', { token, new_password: own })).status, 200);
  assert.equal((await stranger.post('/auth/login', { email, password: strangers })).status, 401);
  assert.equal((await owner.post('/auth/login', { email, password: own })).status, 200);
});

test('registering again before the address is verified replaces the password', async () => {
  const browser = openBrowser(run.api_url);
  const [email, first, second] = [address(), secret(), secret()];
  await browser.post('/auth/register', { email, password: first });
  const { token } = await mailTo(email, /^Verify/);
  await browser.post('/auth/register', { email, password: second });
  await eventually(async () => assert.equal(mailsTo(email).length, 2));
  assert.equal((await browser.post('/auth/verify-email', { token, password: first })).status, 403);
  assert.equal((await browser.post('/auth/verify-email', { token, password: second })).status, 200);
  assert.equal((await browser.post('/auth/login', { email, password: second })).status, 200);
});

test('registering and then logging in does not reveal whether the address has an account', async () => {
  const { email: known } = await registered();
  const unknown = address();
  const answers = [];
  for (const email of [known, unknown]) {
    const browser = openBrowser(run.api_url);
    const password = secret();
    const one = await browser.post('/auth/register', { email, password });
    const other = await browser.post('/auth/login', { email, password });
    answers.push([one.status, one.body, other.status, { ...other.body, request_id: '' }]);
  }
  assert.deepEqual(answers[0], answers[1]);
});

test('registration and password reset do not reveal whether an address is known', async () => {
  const { email } = await registered();
  const unknown = address();
  const browser = openBrowser(run.api_url);
  for (const path of ['/auth/register', '/auth/forgot-password', '/auth/resend-verification']) {
    const body = path === '/auth/register' ? { password: secret() } : {};
    const known = await browser.post(path, { email, ...body });
    const other = await browser.post(path, { email: unknown, ...body });
    assert.deepEqual([known.status, known.body], [other.status, other.body], path);
    assert.equal(known.status, 202);
  }
  await mailTo(email, /have an account already/);
  await mailTo(email, /^Reset/);
});

test('a wrong password, an unknown user and a user without a password get the same response', async () => {
  const { email } = await registered();
  const browser = openBrowser(run.api_url);
  const wrong = await browser.post('/auth/login', { email, password: 'not the password' });
  const unknown = await browser.post('/auth/login', { email: address(), password: 'not the password' });
  assert.equal(wrong.status, 401);
  const plain = (body: object) => ({ ...body, request_id: '' });
  assert.deepEqual(plain(wrong.body), plain(unknown.body));
  assert.equal(browser.cookies.size, 0);
});

test('an unacceptable password is refused with the reason', async () => {
  const browser = openBrowser(run.api_url);
  const email = address();
  for (const [password, reason] of [
    ['short', /at least 8/],
    ['x'.repeat(129), /at most 128/],
    [' '.repeat(8), /at least 8/],
    ['Password1', /most common/],
    [email.toUpperCase(), /your email/],
  ] as const) {
    const { status, body } = await browser.post('/auth/register', { email, password });
    assert.equal(status, 422, password);
    assert.match(body.errors[0].message, reason);
    assert.equal(body.errors[0].pointer, '/body/password');
  }
});

test('a login replaces the session of the browser, which prevents session fixation', async () => {
  const { browser, email, password } = await registered();
  const before = browser.cookies.get('session') ?? '';
  await browser.post('/auth/login', { email, password });
  assert.notEqual(browser.cookies.get('session'), before);
  const planted = openBrowser(run.api_url);
  planted.cookies.set('session', before);
  assert.equal((await planted.get('/auth/session')).status, 401);
  planted.cookies.set('session', 'A'.repeat(43));
  assert.equal((await planted.get('/auth/session')).status, 401);
});

test('a reset token works once, and the reset ends all sessions', async () => {
  const { browser, email, password } = await registered();
  const elsewhere = openBrowser(run.api_url);
  await elsewhere.post('/auth/forgot-password', { email });
  const { token } = await mailTo(email, /^Reset/);
  assert.equal((await elsewhere.post('/auth/verify-email', { token, password })).body.code, 'TOKEN_INVALID');
  const weak = await elsewhere.post('/auth/reset-password', { token, password: '12345678' });
  assert.equal(weak.status, 422);
  const next = secret();
  const uses = await Promise.all(
    [next, secret()].map((one) => elsewhere.post('/auth/reset-password', { token, password: one })),
  );
  assert.deepEqual(uses.map(({ status }) => status).toSorted(), [200, 400]);
  assert.equal((await browser.get('/auth/session')).status, 401);
  assert.equal((await elsewhere.post('/auth/login', { email, password })).status, 401);
  const chosen = uses[0]?.status === 200 ? next : undefined;
  if (chosen) assert.equal((await elsewhere.post('/auth/login', { email, password: chosen })).status, 200);
});

test('an invalid token is refused before the password is validated', async () => {
  const browser = openBrowser(run.api_url);
  const token = 'A'.repeat(43);
  for (const path of ['/auth/reset-password', '/auth/accept-invitation']) {
    const { status, body } = await browser.post(path, { token, password: '12345678' });
    assert.deepEqual([status, body.code], [400, 'TOKEN_INVALID'], path);
  }
});

test('a password change ends the other sessions and issues a new cookie', async () => {
  const { browser, email, password } = await registered();
  const other = openBrowser(run.api_url);
  await other.post('/auth/login', { email, password });
  const before = browser.cookies.get('session');
  const next = secret();
  const wrong = await browser.post('/user/change-password', {
    current_password: 'wrong',
    new_password: next,
  });
  assert.deepEqual([wrong.status, wrong.body.code], [403, 'WRONG_PASSWORD']);
  const right = await browser.post('/user/change-password', {
    current_password: password,
    new_password: next,
  });
  assert.equal(right.status, 200, JSON.stringify(right.body));
  assert.notEqual(browser.cookies.get('session'), before);
  assert.equal((await browser.get('/auth/session')).status, 200);
  assert.equal((await other.get('/auth/session')).status, 401);
  await mailTo(email, /password was changed/);
  await browser.post('/user/change-password', { current_password: 'wrong', new_password: next });
  const fourth = await browser.post('/user/change-password', {
    current_password: next,
    new_password: secret(),
  });
  assert.deepEqual([fourth.status, fourth.body.code], [429, 'RATE_LIMITED']);
});

test('a change of address is confirmed from the new address, and the old one is notified', async () => {
  const { browser, email, password } = await registered();
  const next = address();
  const asked = await browser.post('/user/change-email', { new_email: next, password });
  assert.equal(asked.status, 202, JSON.stringify(asked.body));
  const { token } = await mailTo(next, /^Confirm/);
  assert.match((await mailTo(email, /about to change/)).text, new RegExp(next));
  const stranger = await registered();
  assert.equal((await stranger.browser.post('/user/confirm-email-change', { token })).status, 400);
  const confirmed = await browser.post('/user/confirm-email-change', { token });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  assert.equal((await browser.post('/user/confirm-email-change', { token })).status, 400);
  const { body: profile } = await browser.get('/user/profile');
  assert.deepEqual([profile.email, profile.email_verified], [next, true]);
  assert.equal((await openBrowser(run.api_url).post('/auth/login', { email, password })).status, 401);

  const taken = await browser.post('/user/change-email', { new_email: stranger.email, password });
  assert.deepEqual([taken.status, taken.body], [asked.status, asked.body]);
  await mailTo(stranger.email, /have an account already/);
  assert.equal(
    mailsTo(stranger.email).some(({ subject }) => subject.startsWith('Confirm')),
    false,
  );
});

test('a change of the profile keeps omitted fields, and null restores the default', async () => {
  const { browser } = await registered();
  const first = { timezone: 'Europe/Paris', theme: 'dark', notifications: { email: true } };
  await browser.patch('/user/profile', { name: 'New name', preferences: first });
  const { body } = await browser.patch('/user/profile', {
    preferences: { theme: null, language: 'pt-BR', notifications: { browser: false } },
  });
  assert.equal(body.name, 'New name');
  assert.deepEqual(body.preferences, {
    timezone: 'Europe/Paris',
    theme: null,
    language: 'pt-BR',
    notifications: { email: true, browser: false },
  });
  for (const wrong of [
    {},
    { preferences: { timezone: 'Mars' } },
    { preferences: { language: '!' } },
    { email: 'a' },
  ]) {
    assert.equal((await browser.patch('/user/profile', wrong)).status, 422, JSON.stringify(wrong));
  }
});

test('sessions are listed and ended, and foreign ones look absent', async () => {
  const { browser, email, password } = await registered();
  const other = openBrowser(run.api_url);
  await other.post('/auth/login', { email, password });
  const { body: sessions } = await browser.get('/user/sessions');
  assert.deepEqual(sessions.map((one: { is_current: boolean }) => one.is_current).toSorted(), [false, true]);
  const { body: stranger } = await (await registered()).browser.get('/auth/session');
  for (const id of [stranger.session_id, randomUUID(), 'x']) {
    assert.equal((await browser.delete(`/user/sessions/${id}`)).status, 404);
  }
  const foreign = sessions.find((one: { is_current: boolean }) => !one.is_current);
  assert.equal((await browser.delete(`/user/sessions/${foreign.id}`)).status, 204);
  assert.equal((await other.get('/auth/session')).status, 401);
  await other.post('/auth/login', { email, password });
  assert.equal((await browser.post('/user/revoke-all-sessions')).status, 204);
  assert.equal((await other.get('/auth/session')).status, 401);
  assert.equal((await browser.get('/auth/session')).status, 200);
  assert.equal((await browser.post('/auth/logout')).status, 204);
  // The next login from this device is counted apart from those of strangers.
  assert.deepEqual([...browser.cookies.keys()], ['device']);
  assert.equal((await browser.post('/auth/logout')).status, 204);
});

test('a page of another site can neither write nor open a live channel with the session cookie', async () => {
  const { browser, email, password } = await registered();
  const foreign = { Origin: 'https://evil.example' };
  for (const [path, body] of [
    ['/user/revoke-all-sessions', undefined],
    ['/auth/login', { email, password }],
    ['/auth/logout', undefined],
  ] as const) {
    const { status, body: refusal } = await browser.post(path, body, foreign);
    assert.deepEqual([status, refusal.code], [403, 'FOREIGN_ORIGIN'], path);
  }
  const Cookie = `session=${browser.cookies.get('session')}`;
  await assert.rejects(connectLive(run.api_url, { Cookie, ...foreign }), /403/);
  const own = { Origin: new URL(run.api_url).origin };
  const live = await connectLive(run.api_url, { Cookie, ...own });
  live.socket.close();
  assert.equal((await browser.post('/user/revoke-all-sessions', undefined, own)).status, 204);
});

test('user settings need a login session: an API key is refused', async () => {
  const client = createClient(run);
  for (const path of ['/user/profile', '/user/sessions', '/auth/session']) {
    const { status, body } = await client.get(path);
    assert.deepEqual([status, body.code], [403, 'LOGIN_SESSION_REQUIRED'], path);
  }
});

test('a tenant of which the user is not a member looks absent', async () => {
  const { browser, email, password } = await registered();
  const { body: stranger } = await (await registered()).browser.get('/auth/session');
  const { body: own } = await browser.get('/auth/session');
  for (const id of [stranger.tenant.id, randomUUID(), 'x']) {
    assert.equal((await browser.post('/auth/switch-tenant', { tenant_id: id })).status, 404);
    assert.equal((await browser.post('/auth/login', { email, password, tenant_id: id })).status, 404);
  }
  assert.equal((await browser.post('/auth/switch-tenant', { tenant_id: own.tenant.id })).status, 200);
});

test('an initial password is refused if the user already has one or the body is invalid', async () => {
  const { browser } = await registered();
  const { status, body } = await browser.post('/user/set-initial-password', secret());
  assert.deepEqual([status, body.code], [400, 'PASSWORD_EXISTS']);
  assert.equal((await browser.post('/user/set-initial-password', { password: secret() })).status, 422);
});

test('an account is deleted only with the exact phrase, and its address can be registered again', async () => {
  const { browser, email, password } = await registered();
  const wrong = await browser.post('/user/account/delete', { confirmation: 'Delete my account', password });
  assert.equal(wrong.status, 422);
  const confirmed = { confirmation: 'delete my account', password };
  const { status } = await browser.post('/user/account/delete', confirmed);
  assert.equal(status, 200);
  assert.equal(browser.cookies.size, 0);
  assert.equal((await browser.post('/auth/login', { email, password })).status, 401);
  await browser.post('/auth/register', { email, password });
  const { token } = await eventually(async () => {
    const verifications = mailsTo(email).filter(({ subject }) => subject.startsWith('Verify'));
    assert.equal(verifications.length, 2);
    return verifications[1] ?? assert.fail();
  });
  assert.equal((await browser.post('/auth/verify-email', { token, password })).status, 200);
  assert.equal((await browser.post('/auth/login', { email, password })).status, 200);
});

test('without an identity provider its login routes are 404', async () => {
  const browser = openBrowser(run.api_url);
  assert.equal((await browser.get('/auth/oidc/start')).status, 404);
  assert.equal((await browser.get('/auth/oidc/callback?code=x&state=y')).status, 404);
});
