import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createClient, sharedRun, type Client, type Json } from '../../support/api.ts';
import { openBrowser } from '../../support/browser.ts';
import { logIn, openSession } from '../../support/login.ts';
import { mailTo } from '../../support/mails.ts';

/** The members of a tenant, and their sessions and keys after removal. */
const run = sharedRun();
let orm: Orm;
before(() => {
  orm = createOrm(readConfig([databaseConfig], process.env));
});
after(() => orm.close(true));

const newAddress = (domain = 'example.org') => `new-${randomUUID().slice(0, 8)}@${domain}`;
const invite = (client: Client, email: string, role = 'editor') =>
  client.post('/tenant/members/invite', { email, role });
/** Follows the newest invitation to an address. */
async function accept(email: string): Promise<void> {
  const { token } = await mailTo(email, /invited/);
  const body = { token, password: `chosen-${randomUUID()}` };
  const answer = await openBrowser(run.api_url).post('/auth/accept-invitation', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.code];

test('an invitation creates a user without a password, and a repeat changes nothing', async () => {
  const { client, tenantId, userId: ownerId } = await logIn(orm, run);
  const email = newAddress();
  const invited = await invite(client, `  ${email.toUpperCase()} `);
  assert.equal(invited.status, 201, JSON.stringify(invited.body));
  const { id, joined_at: joinedAt, ...member } = invited.body;
  assert.ok(joinedAt);
  assert.deepEqual(member, { email, name: email, role: 'editor', status: 'invited', last_active_at: null });
  const user = await orm.em.fork().findOneOrFail(User, { email });
  assert.deepEqual([user.id, user.passwordHash ?? null, user.emailVerifiedAt ?? null], [id, null, null]);

  const again = await invite(client, email);
  assert.deepEqual([again.status, again.body], [200, invited.body]);
  assert.deepEqual(codeOf(await invite(client, email, 'viewer')), [409, 'ALREADY_MEMBER']);
  const { body: members } = await client.get('/tenant/members');
  assert.deepEqual(
    members.map((one: Json) => [one.id, one.role]),
    [
      [ownerId, 'owner'],
      [id, 'editor'],
    ],
  );
  assert.ok(members[0].last_active_at);

  const { body: log } = await client.get('/tenant/audit-logs?event_type=member.invited');
  assert.deepEqual(
    [log.total_count, log.items[0].resource_id, log.items[0].metadata],
    [1, id, { role: 'editor' }],
  );

  const { client: theirs } = await openSession(orm, run, { tenantId, userId: id });
  assert.equal((await theirs.get('/tenant/settings')).status, 401, 'the invitation is not accepted yet');
  await accept(email);
  const { client: joinedClient } = await openSession(orm, run, { tenantId, userId: id });
  assert.equal((await joinedClient.get('/tenant/settings')).status, 200);
  const [, joined] = (await client.get('/tenant/members')).body;
  assert.equal(joined.status, 'active');
  assert.ok(joined.last_active_at);
});

test('an invitation does not reveal whether an address has an account, nor its name', async () => {
  const { client } = await logIn(orm, run);
  const other = await logIn(orm, run);
  const invited = await invite(client, other.email, 'viewer');
  assert.deepEqual(
    [invited.status, invited.body.name, invited.body.last_active_at],
    [201, other.email, null],
  );
  assert.equal(invited.body.id, other.userId);
  assert.equal((await client.get('/tenant/members')).body[1].name, other.email);
  assert.equal(
    (await other.client.get('/auth/session')).body.tenants.length,
    1,
    'the invitation is not accepted yet',
  );
  const changed = await client.patch(`/tenant/members/${other.userId}/role`, { role: 'editor' });
  assert.deepEqual([changed.status, changed.body.role, changed.body.status], [200, 'editor', 'invited']);
  await accept(other.email);
  const [, joined] = (await client.get('/tenant/members')).body;
  assert.deepEqual([joined.name, joined.role, joined.status], ['The owner', 'editor', 'active']);
  assert.equal((await other.client.get('/auth/session')).body.tenants.length, 2);
});

test('concurrent invitations of one address create one user, also from two tenants', async () => {
  const [one, other] = await Promise.all([logIn(orm, run), logIn(orm, run)]);
  const em = orm.em.fork();
  for (let round = 0; round < 2; round++) {
    const email = newAddress();
    const answers = await Promise.all([
      invite(one.client, email),
      invite(one.client, email),
      invite(other.client, email),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 201, 201]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal(await em.count(User, { email }), 1);
    assert.equal(await em.count(Membership, { userId: answers[0]?.body.id }), 0);
    assert.equal(await em.count(Invitation, { userId: answers[0]?.body.id }), 2);
  }
});

test('a stranger who registered an address in advance gets no access from an invitation of its owner', async () => {
  const [email, early, chosen] = [newAddress(), `early-${randomUUID()}`, `chosen-${randomUUID()}`];
  const stranger = openBrowser(run.api_url);
  await stranger.post('/auth/register', { email, password: early });
  assert.equal((await stranger.post('/auth/login', { email, password: early })).status, 401);
  const { client, tenantId } = await logIn(orm, run);
  assert.equal((await invite(client, email, 'admin')).status, 201);

  const { token } = await mailTo(email, /invited/);
  const invitee = openBrowser(run.api_url);
  const without = await invitee.post('/auth/accept-invitation', { token });
  assert.deepEqual([without.status, without.body.errors?.[0]?.pointer], [422, '/body/password']);
  const accepted = await invitee.post('/auth/accept-invitation', { token, password: chosen });
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));

  assert.equal((await stranger.post('/auth/login', { email, password: early })).status, 401);
  const login = await invitee.post('/auth/login', { email, password: chosen, tenant_id: tenantId });
  assert.deepEqual([login.status, login.body.tenant?.role], [200, 'admin']);
});

test('a user with an unverified address cannot manage members', async () => {
  const { client } = await logIn(orm, run, { emailVerified: false });
  assert.deepEqual(codeOf(await invite(client, newAddress())), [401, 'UNAUTHENTICATED']);
});

test('a withdrawn invitation is invalid, and its user can still get an account', async () => {
  const { client, tenantId } = await logIn(orm, run);
  const [email, password] = [newAddress(), `chosen-${randomUUID()}`];
  const { body: member } = await invite(client, email);
  const { token } = await mailTo(email, /invited/);
  assert.equal((await client.delete(`/tenant/members/${member.id}`)).status, 200);
  const browser = openBrowser(run.api_url);
  assert.deepEqual(codeOf(await browser.post('/auth/accept-invitation', { token, password })), [
    400,
    'TOKEN_INVALID',
  ]);
  const { body: log } = await client.get('/tenant/audit-logs?event_type=member.invitation_accepted');
  assert.equal(log.total_count, 0);

  await browser.post('/auth/forgot-password', { email });
  const reset = await mailTo(email, /^Reset/);
  assert.equal((await browser.post('/auth/reset-password', { token: reset.token, password })).status, 200);
  const logins = await Promise.all(
    [1, 2].map(() => openBrowser(run.api_url).post('/auth/login', { email, password })),
  );
  assert.deepEqual(
    logins.map(({ status, body }) => [status, body.tenants?.length, body.tenant?.role]),
    [
      [200, 1, 'owner'],
      [200, 1, 'owner'],
    ],
  );
  assert.notEqual(logins[0]?.body.tenant.id, tenantId);
});

test('only addresses of the allowed domains can be invited, and only to assignable roles', async () => {
  const { client } = await logIn(orm, run);
  await client.patch('/tenant/settings', { allowed_domains: ['Allowed.example'] });
  assert.equal((await invite(client, newAddress('ALLOWED.example'))).status, 201);
  for (const [email, role, pointer] of [
    [newAddress('sub.allowed.example'), 'viewer', '/body/email'],
    [newAddress('example.org'), 'viewer', '/body/email'],
    ['nobody', 'viewer', '/body/email'],
    [newAddress('allowed.example'), 'owner', '/body/role'],
  ] as const) {
    const answer = await invite(client, email, role);
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.pointer], [422, pointer], email);
  }
  assert.deepEqual(codeOf(await invite(client, newAddress('allowed.example'))), [429, 'RATE_LIMITED']);
});

test('an address gets at most five invitations a day from a tenant', async () => {
  const { client, tenantId } = await logIn(orm, run);
  const email = newAddress();
  const { body } = await invite(client, email);
  const used = [`invitation/${tenantId}/${body.id}`];
  await orm.em.fork().execute('update rate_limits set used = 5 where key = ?', used);
  const refused = await invite(client, email);
  assert.deepEqual(codeOf(refused), [429, 'RATE_LIMITED']);
  assert.ok(Number(refused.headers.get('retry-after')) > 3600);
});

test('a change of role takes effect with the next request; the owner and oneself cannot be changed', async () => {
  const owner = await logIn(orm, run);
  const { tenantId } = owner;
  const admin = await logIn(orm, run, { tenantId, role: 'admin' });
  const editor = await logIn(orm, run, { tenantId, role: 'editor' });
  const roleOf = (client: Client, userId: string, role: string) =>
    client.patch(`/tenant/members/${userId}/role`, { role });

  const changed = await roleOf(admin.client, editor.userId.toUpperCase(), 'viewer');
  assert.deepEqual([changed.status, changed.body.role, changed.body.id], [200, 'viewer', editor.userId]);
  assert.deepEqual(codeOf(await editor.client.patch(`/files/${randomUUID()}`, { title: 'x' })), [
    403,
    'FORBIDDEN',
  ]);
  assert.equal((await roleOf(admin.client, editor.userId, 'viewer')).status, 200);
  assert.deepEqual(codeOf(await roleOf(admin.client, owner.userId, 'viewer')), [409, 'MEMBER_PROTECTED']);
  assert.deepEqual(codeOf(await roleOf(admin.client, admin.userId, 'viewer')), [409, 'MEMBER_PROTECTED']);
  assert.deepEqual(codeOf(await roleOf(owner.client, owner.userId, 'admin')), [409, 'MEMBER_PROTECTED']);
  assert.deepEqual(codeOf(await roleOf(admin.client, editor.userId, 'owner')), [422, 'VALIDATION_FAILED']);
  const stranger = await logIn(orm, run);
  for (const id of [stranger.userId, randomUUID(), 'nobody']) {
    assert.deepEqual(codeOf(await roleOf(admin.client, id, 'viewer')), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await admin.client.delete(`/tenant/members/${id}`)), [404, 'NOT_FOUND']);
  }
  const { body: log } = await owner.client.get('/tenant/audit-logs?event_type=member.role_changed');
  assert.deepEqual(
    log.items.map((event: Json) => [event.user_id, event.severity, event.metadata]),
    [[admin.userId, 'warning', { from: 'editor', to: 'viewer' }]],
  );
});

test('removing a member ends their sessions and keys in this tenant immediately, and in no other', async () => {
  const owner = await logIn(orm, run);
  const { tenantId } = owner;
  const admin = await logIn(orm, run, { tenantId, role: 'admin' });
  const elsewhere = await logIn(orm, run);
  await orm.em.fork().insert(Membership, {
    tenantId: elsewhere.tenantId,
    userId: admin.userId,
    role: 'viewer',
    joinedAt: new Date(),
  });
  const other = await openSession(orm, run, { tenantId: elsewhere.tenantId, userId: admin.userId });
  const { body: key } = await admin.client.post('/api-keys', { name: 'mine' });

  for (const [id, reason] of [
    [owner.userId, 'the owner'],
    [admin.userId, 'themselves'],
  ] as const) {
    const refused = await admin.client.delete(`/tenant/members/${id}`);
    assert.deepEqual(codeOf(refused), [409, 'MEMBER_PROTECTED'], reason);
  }
  const removed = await owner.client.delete(`/tenant/members/${admin.userId}`);
  assert.deepEqual(
    [removed.status, removed.body],
    [200, { detail: 'the member was removed; login sessions ended: 1, API keys revoked: 1' }],
  );
  assert.equal((await admin.client.get('/tenant/settings')).status, 401);
  assert.equal((await createClient(run, key.key).get('/files')).status, 401);
  assert.equal((await other.client.get('/tenant/settings')).status, 200);
  assert.equal((await owner.client.get('/tenant/members')).body.length, 1);
  assert.deepEqual(codeOf(await owner.client.delete(`/tenant/members/${admin.userId}`)), [404, 'NOT_FOUND']);
  assert.ok((await owner.client.get(`/api-keys/${key.id}`)).body.revoked_at);
});

test('a change of role that races with the removal never restores the member', async () => {
  const owner = await logIn(orm, run);
  const { tenantId } = owner;
  for (let round = 0; round < 4; round++) {
    const member = await logIn(orm, run, { tenantId, role: 'viewer' });
    const path = `/tenant/members/${member.userId}`;
    const [changed, removed, used] = await Promise.all([
      owner.client.patch(`${path}/role`, { role: 'admin' }),
      owner.client.delete(path),
      member.client.get('/tenant/settings'),
    ]);
    assert.equal(removed.status, 200);
    assert.ok([200, 404].includes(changed.status), String(changed.status));
    assert.ok([200, 401].includes(used.status), String(used.status));
    assert.equal(await orm.em.fork().count(Membership, { userId: member.userId }), 0);
    assert.equal(await orm.em.fork().count(LoginSession, { userId: member.userId }), 0);
    assert.equal((await member.client.get('/tenant/settings')).status, 401);
  }
});

test('if two admins remove each other concurrently, one of them stays', async () => {
  const { tenantId } = await logIn(orm, run);
  for (let round = 0; round < 3; round++) {
    const [one, other] = await Promise.all([
      logIn(orm, run, { tenantId, role: 'admin' }),
      logIn(orm, run, { tenantId, role: 'admin' }),
    ]);
    const answers = await Promise.all([
      one.client.delete(`/tenant/members/${other.userId}`),
      other.client.delete(`/tenant/members/${one.userId}`),
    ]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const left = { tenantId, userId: { $in: [one.userId, other.userId] } };
    assert.equal(await orm.em.fork().count(Membership, left), 1);
  }
});

test('an account has at most a thousand members', async () => {
  const { client, tenantId } = await logIn(orm, run);
  await orm.em.fork().execute(
    `with invited as (
       insert into users (id, email, name, created_at)
       select gen_random_uuid(), gen_random_uuid() || '@example.org', 'x', now() from generate_series(1, 999) returning id)
     insert into memberships (tenant_id, user_id, role, joined_at) select ?, id, 'viewer', now() from invited`,
    [tenantId],
  );
  assert.deepEqual(codeOf(await invite(client, newAddress())), [409, 'MEMBER_LIMIT']);
  assert.equal((await client.get('/tenant/members')).body.length, 1000);
});
