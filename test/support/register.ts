import assert from 'node:assert/strict';
import type { Browser } from './browser.ts';
import { mailTo } from './mails.ts';

/** Registers a user and verifies the address with the token of the email, so that they can log in. */
export async function register(
  browser: Browser,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const registered = await browser.post('/auth/register', { email, password });
  assert.equal(registered.status, 202, JSON.stringify(registered.body));
  const { token } = await mailTo(email, /^Verify/);
  const verified = await browser.post('/auth/verify-email', { token, password });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
}
