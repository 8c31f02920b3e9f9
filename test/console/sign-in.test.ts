import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun } from '../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen, tabTo } from '../support/console.ts';
import { mailTo } from '../support/mails.ts';

/** Getting in, and what the server sends to browsers and to programs. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const { origin } = new URL(run.api_url);
const browser = openConsole(run);
after(() => orm.close(true));

const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml' } };
const screens = Object.keys(SCREENS) as Screen[];

for (const screen of screens) {
  test(`somebody registers, verifies the address and signs in and out: ${screen}`, async () => {
    const email = `ada-${randomUUID().slice(0, 8)}@studio.example`;
    const password = 'a phrase of several words';
    const page = await browser.open({ screen });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();

    const { token } = await mailTo(email, /^Verify/);
    await page.goto(`/account/verify-email#token=${token}`);
    await page.getByRole('heading', { name: 'Verify your email address' }).waitFor();
    await page.getByLabel('The password that was registered').fill(password);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Verify your email address' }).click();
    await page.getByRole('status').first().waitFor();

    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not this one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    if (screen === 'phone') await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in*');
    await page.goto('/settings/profile');
    await page.waitForURL('**/sign-in?next=*');
  });
}

test('a password is reset by the keyboard alone', async () => {
  const { page, user } = await browser.signedIn(orm, { path: '/forgot-password' });
  await page.context().clearCookies();
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  await tabTo(page, 'Email');
  await page.keyboard.type(user.email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const { token } = await mailTo(user.email, /password/i);
  await page.goto(`/account/reset-password#token=${token}`);
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await tabTo(page, 'New password');
  await page.keyboard.type('quite another phrase');
  await page.keyboard.press('Enter');
  await page.getByRole('status').first().waitFor();
  await tabTo(page, 'Sign in');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/sign-in*');
  await tabTo(page, 'Email');
  await page.keyboard.type(user.email);
  await tabTo(page, 'Password');
  await page.keyboard.type('quite another phrase');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
});

test('a link fills in the sign-in and leads to no other site', async () => {
  const page = await browser.open();
  await page.goto('/sign-in?next=https://evil.example/#email=ada@studio.example&password=secret');
  assert.equal(await page.getByLabel('Email').inputValue(), 'ada@studio.example');
  assert.equal(await page.getByLabel('Password').inputValue(), 'secret');
  // The password does not stay in the address bar and the history.
  await page.waitForURL((url) => url.hash === '');
});

test('a login that the identity provider refused is explained once, in the language of the page', async () => {
  const page = await browser.open({ language: 'de-AT' });
  const refusal = new URLSearchParams({ code: 'IDENTITY_REJECTED', detail: 'you are in no group' });
  await page.context().addCookies([{ name: 'refusal', value: refusal.toString(), url: origin }]);
  await page.goto('/sign-in');
  await page
    .getByRole('alert')
    .filter({ hasText: /wurde abgelehnt: you are in no group$/ })
    .waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  assert.equal(await page.getByText('you are in no group').count(), 0);
  await page
    .context()
    .addCookies([{ name: 'refusal', value: 'code=VALIDATION_FAILED&detail=', url: origin }]);
  await page.reload();
  await page
    .getByRole('alert')
    .filter({ hasText: /^Der Link dieser Anmeldung/ })
    .waitFor();
});

test('signing in leads to a page of this console, however a link spells its target', async () => {
  const targets = {
    '/settings/profile?tab=1': '/settings/profile?tab=1',
    '/.//evil.example/': '//evil.example/',
    '/%2e//evil.example/': '//evil.example/',
    'a/..//evil.example/': '//evil.example/',
    '//evil.example/': '/',
    '/\\evil.example/': '/',
    'https:evil.example/': '/',
    'javascript:alert(1)': '/',
  };
  for (const [next, path] of Object.entries(targets)) {
    const page = await browser.open();
    await page.route('**/api/v2/auth/login', (route) => route.fulfill({ json: {} }));
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}#email=ada@studio.example&password=secret`);
    const leaving = page.waitForRequest((request) => request.isNavigationRequest());
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The page stays open: closing one that is leaving can wait forever.
    assert.equal((await leaving).url(), `${origin}${path}`, next);
  }
});

test('browsers get the page at every path, programs what they asked for', async () => {
  for (const path of ['/sign-in', '/settings/keys', '/files/anything']) {
    const { status, headers } = await fetch(origin + path, asBrowser);
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
    assert.equal(headers.get('cache-control'), 'no-cache', path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.doesNotMatch(policy, /unsafe|\*|data:/, path);
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/, path);
  }
  for (const [path, to] of [
    ['/', '/sign-in'],
    ['/?q=a%26b', '/sign-in?next=%2F%3Fq%3Da%2526b'],
  ] as const) {
    const { status, headers } = await fetch(origin + path, { ...asBrowser, redirect: 'manual' });
    assert.deepEqual([status, headers.get('location')], [302, to]);
  }
  const unknown = await fetch(`${origin}/settings/keys`);
  assert.equal(unknown.status, 404);
  const api = await fetch(`${run.api_url}/nothing`, asBrowser);
  assert.deepEqual([api.status, api.headers.get('content-type')?.includes('json')], [404, true]);
});

test('the files of the console are compressed, named by their content and inside its folder', async () => {
  // What a first visit loads of the sign-in and of the library, in bytes.
  const most = { '/sign-in': 115_000, '/files/anything': 190_000 };
  for (const [page, limit] of Object.entries(most)) {
    const html = await (await fetch(origin + page, asBrowser)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
    assert.ok(files.length >= 2, html);
    let bytes = 0;
    for (const path of files) {
      const { status, headers } = await fetch(origin + path, {
        method: 'HEAD',
        headers: { 'Accept-Encoding': 'gzip' },
      });
      assert.equal(status, 200, path);
      assert.match(headers.get('cache-control') ?? '', /immutable/, path);
      bytes += Number(headers.get('content-length'));
    }
    assert.ok(bytes <= limit, `the first load of ${page} is ${bytes} bytes`);
  }
  for (const path of ['/assets/none.js', '/assets/..%2f..%2f..%2fpackage.json', '/assets/%00']) {
    const answer = await fetch(origin + path, asBrowser);
    assert.equal(answer.status, 404, path);
    assert.match(answer.headers.get('content-type') ?? '', /json/, path);
  }
});
