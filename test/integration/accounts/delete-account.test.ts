import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { removeExpired } from '../../../services/accounts/remove-expired.ts';
import { issueToken } from '../../../services/accounts/account-tokens.ts';
import { emptyDeletedTenants } from '../../../services/recovery/empty-deleted-tenants.ts';
import { claimPurgePage } from '../../../services/trash/claim-purge-page.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { createClient, sharedRun } from '../../support/api.ts';
import { openBrowser } from '../../support/browser.ts';
import { mailTo } from '../../support/mails.ts';
import { register } from '../../support/register.ts';
import { logIn } from '../../support/login.ts';
import { uniqueImage } from '../../support/images.ts';

const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const engine = createEngine(readConfig([temporalConfig], process.env));
after(async () => {
  await engine.close();
  await orm.close(true);
});

async function loggedIn() {
  const browser = openBrowser(run.api_url);
  const email = `user-${randomUUID().slice(0, 8)}@studio.example`;
  const password = randomBytes(9).toString('base64url');
  await register(browser, { email, password });
  const { body } = await browser.post('/auth/login', { email, password });
  return { browser, email, password, userId: body.user.id as string, tenantId: body.tenant.id as string };
}

test('files of a deleted account go to the trash and are purged without the usual 30 days', async () => {
  const { browser, email, password, tenantId, userId } = await loggedIn();
  const form = new FormData();
  form.append('file', new Blob([await uniqueImage()]), 'one.jpg');
  const uploaded = await fetch(`${run.api_url}/files/upload`, {
    method: 'POST',
    body: form,
    headers: { Cookie: `session=${browser.cookies.get('session')}` },
  });
  assert.equal(uploaded.status, 201, await uploaded.text());

  const em = orm.em.fork();
  const other = await loggedIn();
  await em.insert(Membership, { tenantId, userId: other.userId, role: 'viewer', joinedAt: new Date() });
  const confirmation = { confirmation: 'delete my account', password };
  const shared = await browser.post('/user/account/delete', confirmation);
  assert.deepEqual([shared.status, shared.body.code], [409, 'TENANT_HAS_MEMBERS']);
  assert.equal(
    (await other.browser.post('/auth/switch-tenant', { tenant_id: tenantId })).body.tenant.role,
    'viewer',
  );
  await em.nativeDelete(Membership, { tenantId, userId: other.userId });
  assert.equal((await other.browser.get('/auth/session')).status, 401);
  const hold = { reason: 'Case 7', since: new Date().toISOString() };
  await em.nativeUpdate(StoredFile, { tenantId }, { hold });
  const held = await browser.post('/user/account/delete', confirmation);
  assert.deepEqual([held.status, held.body.code], [409, 'FILE_HELD']);
  await em.nativeUpdate(StoredFile, { tenantId }, { hold: null });
  assert.equal((await browser.post('/user/account/delete', confirmation)).status, 200);
  await mailTo(email, /deleted/);

  const user = await em.findOneOrFail(User, userId, { refresh: true });
  assert.deepEqual(
    [user.email, user.isActive, user.passwordHash],
    [`deleted-${userId}@invalid`, false, null],
  );
  const reading = {
    mediaType: 'document',
    components: { text_extraction: { status: 'processing' } },
  } as const;
  await em.nativeUpdate(StoredFile, { tenantId }, reading);
  await emptyDeletedTenants(orm.em.fork());
  const file = await em.findOneOrFail(StoredFile, { tenantId });
  assert.ok(file.deletedAt);
  // Late attempts of the file may take up to an hour.
  await em.execute(`update files set deleted_at = now() - interval '61 minutes' where id = ?`, [file.id]);
  const monthAgo = new Date(Date.now() - 30 * 86_400_000);
  const { files } = await claimPurgePage(orm.em.fork(), { before: monthAgo });
  assert.ok(files.some(({ fileId }) => fileId === file.id));
});

test('a cookie alone deletes no account: it takes the password, or a login of the last minutes without one', async () => {
  const { browser, email, password, userId } = await loggedIn();
  const remove = async (body: object) => {
    const answer = await browser.post('/user/account/delete', { confirmation: 'delete my account', ...body });
    return [answer.status, answer.body.code];
  };
  const em = orm.em.fork();
  assert.deepEqual(await remove({}), [422, 'VALIDATION_FAILED']);
  assert.deepEqual(await remove({ password: `${password}x` }), [403, 'WRONG_PASSWORD']);
  assert.equal((await browser.get('/auth/session')).status, 200);
  await em.execute(`delete from rate_limits where key like '%' || ? || '%'`, [userId]);

  // As for a user of an identity provider.
  await em.nativeUpdate(User, { id: userId }, { passwordHash: null });
  const earlier = new Date(Date.now() - 11 * 60_000);
  await em.nativeUpdate(LoginSession, { userId }, { createdAt: earlier });
  assert.deepEqual(await remove({}), [403, 'LOGIN_TOO_OLD']);
  // A password set by the cookie alone would be the way around it.
  const set = await browser.post('/user/set-initial-password', 'quite another phrase');
  assert.deepEqual([set.status, set.body.code], [403, 'LOGIN_TOO_OLD']);
  await em.nativeUpdate(LoginSession, { userId }, { createdAt: new Date() });
  assert.deepEqual(await remove({}), [200, undefined]);
  assert.match((await mailTo(email, /deleted/)).text, /cannot be taken back/);
});

test('idle and old sessions and expired tokens are refused and removed', async () => {
  const { browser, email, password, userId } = await loggedIn();
  const em = orm.em.fork();
  await em.nativeUpdate(LoginSession, { userId }, { lastActivityAt: new Date(Date.now() - 8 * 86_400_000) });
  assert.equal((await browser.get('/auth/session')).status, 401);
  await em.nativeUpdate(LoginSession, { userId }, { lastActivityAt: new Date(), expiresAt: new Date() });
  assert.equal((await browser.get('/auth/session')).status, 401);

  const token = await issueToken(em, { kind: 'verify_email', userId, email });
  await em.execute('update account_tokens set expires_at = now() where user_id = ?', [userId]);
  assert.equal((await browser.post('/auth/verify-email', { token, password })).body.code, 'TOKEN_INVALID');
  await removeExpired(orm.em.fork());
  assert.equal(await em.count(LoginSession, { userId }), 0);
  const left = await em.execute('select 1 from account_tokens where user_id = ?', [userId]);
  assert.deepEqual(left, []);
});

test('accepting an invitation verifies the address, and sets a password if the user has none', async () => {
  const owner = await loggedIn();
  const em = orm.em.fork();
  const [userId, email] = [randomUUID(), `user-${randomUUID().slice(0, 8)}@studio.example`];
  const createdAt = new Date();
  await em.insert(User, { id: userId, email, name: email, createdAt });
  const { tenantId } = owner;
  await em.insert(Invitation, { tenantId, userId, role: 'editor', createdAt });
  const token = await issueToken(em, { kind: 'invitation', userId, tenantId, email });
  const browser = openBrowser(run.api_url);
  assert.equal((await browser.post('/auth/accept-invitation', { token })).status, 422);
  const password = 'a long passphrase';
  assert.equal((await browser.post('/auth/accept-invitation', { token, password })).status, 200);
  assert.equal((await browser.post('/auth/accept-invitation', { token, password })).status, 400);
  const { body } = await browser.post('/auth/login', { email, password });
  assert.deepEqual([body.user.email_verified, body.tenant.id, body.tenant.role], [true, tenantId, 'editor']);
});

test('deleting an account removes its user from other tenants, whose audit logs have it', async () => {
  const owner = await logIn(orm, run);
  const { tenantId } = owner;
  const leaving = await loggedIn();
  const { userId } = leaving;
  const em = orm.em.fork();
  await em.insert(Membership, { tenantId, userId, role: 'admin', joinedAt: new Date() });
  await leaving.browser.post('/auth/switch-tenant', { tenant_id: tenantId });
  const { body: key } = await leaving.browser.post('/api-keys', { name: 'mine' });
  await leaving.browser.post('/auth/switch-tenant', { tenant_id: leaving.tenantId });
  const deleted = await leaving.browser.post('/user/account/delete', {
    confirmation: 'delete my account',
    password: leaving.password,
  });
  assert.equal(deleted.status, 200);

  assert.ok((await owner.client.get(`/api-keys/${key.id}`)).body.revoked_at);
  assert.equal((await createClient(run, key.key).get('/files')).status, 401);
  const { body: log } = await owner.client.get('/tenant/audit-logs?event_type=member.removed');
  assert.deepEqual(
    [log.total_count, log.items[0].user_id, log.items[0].metadata],
    [1, userId, { role: 'admin', sessions_ended: 0, api_keys_revoked: 1, account_deleted: true }],
  );
});
