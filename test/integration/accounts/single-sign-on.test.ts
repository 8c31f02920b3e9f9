import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { JWTPayload } from 'jose';
import { identityProvider } from '../../../cli/doctor/checks/identity-provider.ts';
import { runChecks } from '../../../cli/doctor/run-checks.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { MAX_MEMBERS } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { type Answer, sharedRun } from '../../support/api.ts';
import { openBrowser, type Browser } from '../../support/browser.ts';
import { logIn as createMember, openSession, type LoggedIn } from '../../support/login.ts';
import { CLIENT, startOpenIdProvider, type OpenIdProvider } from '../../support/openid-provider.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** Two companies with an identity provider each, whose groups give roles in the account of the company. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
type ProviderId = 'staff' | 'partners';
let providers: Record<ProviderId, OpenIdProvider>;
let studio: LoggedIn;
let press: LoggedIn;
/** An account with as many members as it may have. */
let full: LoggedIn;
let settings: Record<string, string>;
let replica: Replica;

before(async () => {
  providers = { staff: await startOpenIdProvider(), partners: await startOpenIdProvider() };
  studio = await createMember(orm, run);
  press = await createMember(orm, run);
  full = await createMember(orm, run);
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret };
  const list = [
    {
      id: 'staff',
      name: 'Studio',
      issuer: providers.staff.issuer,
      ...client,
      email_domains: ['studio.example', 'both.example', 'example.org'],
      grants: [
        { group: 'media', tenant_id: studio.tenantId, role: 'editor' },
        { group: 'media-admins', tenant_id: studio.tenantId, role: 'admin' },
        { group: 'crowd', tenant_id: full.tenantId, role: 'viewer' },
      ],
    },
    {
      id: 'partners',
      name: 'Press',
      issuer: providers.partners.issuer,
      ...client,
      email_domains: ['press.example', 'both.example', 'example.org'],
      emails_are_verified: true,
      groups_claim: 'roles',
      grants: [
        { tenant_id: press.tenantId, role: 'viewer' },
        { group: 'desk', tenant_id: press.tenantId, role: 'editor' },
      ],
    },
  ];
  settings = { OIDC_PROVIDERS: JSON.stringify(list), PUBLIC_BASE_URL: 'http://localhost:1' };
  replica = await startReplica(settings);
});
after(async () => {
  await replica.stop();
  await Promise.all(Object.values(providers).map((each) => each.stop()));
  await orm.close(true);
});

const person = (domain: string, claims: JWTPayload = {}) => ({
  sub: randomUUID(),
  email: `user-${randomUUID().slice(0, 8)}@${domain}`,
  email_verified: true,
  name: 'Ada',
  ...claims,
});

async function begin(browser: Browser, id: ProviderId): Promise<string> {
  const start = await browser.get(`/auth/oidc/start?provider=${id}`);
  assert.equal(start.status, 302, JSON.stringify(start.body));
  return start.headers.get('location') ?? '';
}

async function logIn(
  id: ProviderId,
  claims: JWTPayload,
  userInfo?: JWTPayload,
  { url, provider = providers[id] }: { url: string; provider?: OpenIdProvider } = replica,
) {
  const browser = openBrowser(url);
  const query = provider.logIn(await begin(browser, id), claims, userInfo);
  const answer = await browser.get(`/auth/oidc/callback/${id}?${query}`);
  return { browser, answer };
}

async function enter(...login: Parameters<typeof logIn>): Promise<Browser> {
  const { browser, answer } = await logIn(...login);
  assert.equal(answer.status, 302, JSON.stringify(answer.body));
  return browser;
}

const codeOf = ({ status, body }: Answer) => [status, body.code];
/** Tenants and roles of the logged-in user. */
async function accessOf(browser: Browser): Promise<[string, string][]> {
  const { body } = await browser.get('/auth/session');
  return body.tenants.map(({ id, role }: { id: string; role: string }) => [id, role]);
}

test('the sign-in page knows every provider, and each has an address of return of its own', async () => {
  const browser = openBrowser(replica.url);
  assert.deepEqual((await browser.get('/auth/methods')).body.identity_providers, [
    { id: 'staff', name: 'Studio' },
    { id: 'partners', name: 'Press' },
  ]);
  const returns = await Promise.all(
    (['staff', 'partners'] as const).map(async (id) =>
      new URL(await begin(browser, id)).searchParams.get('redirect_uri'),
    ),
  );
  assert.deepEqual(
    returns,
    ['staff', 'partners'].map((id) => `http://localhost:1/api/v2/auth/oidc/callback/${id}`),
  );
  assert.equal((await browser.get('/auth/oidc/start?provider=nobody')).status, 404);
  assert.equal((await browser.get('/auth/oidc/callback?code=c&state=s')).status, 404);
});

test('groups give the highest of their roles at each login, and take it away with sessions and keys', async () => {
  const ada = person('studio.example');
  const first = await enter('staff', { ...ada, groups: ['media', 'media-admins', 'chess'] });
  assert.deepEqual(await accessOf(first), [[studio.tenantId, 'admin']], 'no account of their own');
  const { body: session } = await first.get('/auth/session');
  const userId: string = session.user.id;

  const { key } = (await first.post('/api-keys', { name: 'theirs' })).body;

  const second = await enter('staff', { ...ada, groups: ['media'] });
  assert.deepEqual(await accessOf(first), [[studio.tenantId, 'editor']], 'in open sessions as well');
  const byKey = () => second.request('GET', '/files', undefined, { 'X-API-Key': key });
  assert.equal((await byKey()).status, 200);

  // Providers leave out the claim of somebody without groups.
  const { answer, browser } = await logIn('staff', ada);
  assert.deepEqual(codeOf(answer), [400, 'IDENTITY_REJECTED']);
  assert.equal(browser.cookies.has('session'), false);
  assert.equal((await first.get('/auth/session')).status, 401);
  assert.equal((await byKey()).status, 401);

  const { body: log } = await studio.client.get(`/tenant/audit-logs?user_id=${userId}`);
  const events = log.items.map((entry: { event_type: string }) => entry.event_type);
  assert.deepEqual(
    events.filter((type: string) => type.startsWith('member.')),
    ['member.removed', 'member.role_changed', 'member.joined'],
  );
});

test('groups are read from the user information, and unknown ones take no role away', async () => {
  const ada = person('studio.example');
  const browser = await enter('staff', ada, { groups: ['media'] });
  for (const claims of [
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
    { hasgroups: true },
    { groups: { media: true } },
    { groups: [1] },
  ]) {
    const { answer } = await logIn('staff', { ...ada, ...claims });
    assert.deepEqual(codeOf(answer), [400, 'IDENTITY_REJECTED'], JSON.stringify(claims));
    assert.match(answer.body.detail, /groups/);
    assert.deepEqual(await accessOf(browser), [[studio.tenantId, 'editor']]);
  }
  const single = await enter('staff', { ...ada, groups: 'media-admins' });
  assert.deepEqual(await accessOf(single), [[studio.tenantId, 'admin']]);
});

test('an address is verified by the user information as well, unless the ID token tells another one', async () => {
  const { email, email_verified: _, ...ada } = person('studio.example', { groups: ['media'] });
  const verified = { email, email_verified: true };
  const { answer } = await logIn('staff', { ...ada, email: `other-${email}` }, verified);
  assert.deepEqual(codeOf(answer), [400, 'IDENTITY_REJECTED']);
  await enter('staff', { ...ada, email }, verified);
  const browser = openBrowser(replica.url);
  const query = providers.staff.logIn(await begin(browser, 'staff'), { ...ada, email }, { failure: 502 });
  // No refusal, which would lead to the sign-in page: it would count as no fault.
  const failing = await browser.request('GET', `/auth/oidc/callback/staff?${query}`, undefined, {
    Accept: 'text/html',
  });
  assert.deepEqual(codeOf(failing), [503, 'SERVICE_UNAVAILABLE']);
});

test('somebody new without a group is refused, and no user is created', async () => {
  const claims = person('studio.example', { groups: ['chess'] });
  assert.deepEqual(codeOf((await logIn('staff', claims)).answer), [400, 'IDENTITY_REJECTED']);
  assert.equal(await orm.em.fork().count(User, { email: claims.email }), 0);
});

test('a provider vouches for addresses of its domains alone', async () => {
  for (const [id, domain] of [
    ['staff', 'press.example'],
    ['partners', 'studio.example'],
    ['partners', 'sub.press.example'],
    ['partners', 'press.example.evil.example'],
  ] as const) {
    const claims = person(domain, { groups: ['media'] });
    assert.deepEqual(codeOf((await logIn(id, claims)).answer), [400, 'IDENTITY_REJECTED'], `${id} ${domain}`);
  }
  // An absent claim counts as verified where the settings say so; a false one never.
  const { email_verified: _, ...unsaid } = person('press.example');
  assert.equal((await logIn('partners', unsaid)).answer.status, 302);
  const denied = person('press.example', { email_verified: false });
  assert.deepEqual(codeOf((await logIn('partners', denied)).answer), [400, 'IDENTITY_REJECTED']);
  const staff = { ...person('studio.example', { groups: ['media'] }), email_verified: undefined };
  assert.deepEqual(codeOf((await logIn('staff', staff)).answer), [400, 'IDENTITY_REJECTED']);
});

test('the answer of one provider is not taken for that of another', async () => {
  const claims = person('both.example', { groups: ['media'] });
  const browser = openBrowser(replica.url);
  let query = providers.partners.logIn(await begin(browser, 'staff'), claims);
  assert.deepEqual(codeOf(await browser.get(`/auth/oidc/callback/partners?${query}`)), [
    400,
    'IDENTITY_REJECTED',
  ]);
  query = providers.staff.logIn(await begin(browser, 'staff'), claims);
  const foreign = `${query}&iss=${encodeURIComponent(providers.partners.issuer)}`;
  assert.deepEqual(codeOf(await browser.get(`/auth/oidc/callback/staff?${foreign}`)), [
    400,
    'IDENTITY_REJECTED',
  ]);
  // An ID token of another issuer, although the code was exchanged where the login began.
  const { answer } = await logIn('staff', { ...claims, iss: providers.partners.issuer });
  assert.deepEqual(codeOf(answer), [400, 'IDENTITY_REJECTED']);
  assert.equal(await orm.em.fork().count(User, { email: claims.email }), 0);
});

test('one address at two providers is one user, whose access by groups needs the login that told them', async () => {
  const ada = person('both.example', { groups: ['media'] });
  const staff = await enter('staff', ada);
  const partner = await enter('partners', { ...ada, sub: randomUUID(), roles: ['desk'] });
  assert.equal(
    (await staff.get('/auth/session')).body.user.id,
    (await partner.get('/auth/session')).body.user.id,
  );
  assert.equal((await partner.get('/auth/session')).body.tenant.id, press.tenantId);
  const cross = await partner.post('/auth/switch-tenant', { tenant_id: studio.tenantId });
  assert.deepEqual(codeOf(cross), [403, 'IDENTITY_PROVIDER_REQUIRED']);
  assert.equal((await partner.get('/auth/session')).body.tenant.id, press.tenantId);

  const password = `chosen-${randomUUID()}`;
  assert.equal((await staff.post('/user/set-initial-password', password)).status, 200);
  const next = `chosen-${randomUUID()}`;
  const changed = await staff.post('/user/change-password', {
    current_password: password,
    new_password: next,
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.equal((await staff.get('/tenant/settings')).status, 200, 'the session is still one of the provider');
  const byPassword = await openBrowser(replica.url).post('/auth/login', { email: ada.email, password: next });
  assert.deepEqual(codeOf(byPassword), [403, 'IDENTITY_PROVIDER_REQUIRED']);

  // Groups of one provider decide nothing about the other's account.
  await logIn('staff', { ...ada, groups: [] });
  assert.deepEqual(await accessOf(await enter('partners', { ...ada, sub: ada.sub })), [
    [press.tenantId, 'viewer'],
  ]);
});

test('the owner stays the owner; a member by invitation follows groups from the login that has one', async () => {
  const owner = { sub: randomUUID(), email: studio.email, email_verified: true };
  const asOwner = await enter('staff', { ...owner, groups: ['media'] });
  assert.deepEqual(await accessOf(asOwner), [[studio.tenantId, 'owner']]);
  assert.deepEqual(
    await accessOf(await enter('staff', owner)),
    [[studio.tenantId, 'owner']],
    'without groups too',
  );

  const member = await createMember(orm, run, { role: 'viewer', tenantId: studio.tenantId });
  const claims = { sub: randomUUID(), email: member.email, email_verified: true };
  const { client: owners } = await openSession(orm, { ...run, api_url: replica.url }, studio);
  const role = (to: string) => owners.patch(`/tenant/members/${member.userId}/role`, { role: to });
  assert.deepEqual(await accessOf(await enter('staff', claims)), [[studio.tenantId, 'viewer']]);
  assert.equal((await role('editor')).status, 200);

  assert.deepEqual(await accessOf(await enter('staff', { ...claims, groups: ['media-admins'] })), [
    [studio.tenantId, 'admin'],
  ]);
  assert.equal((await member.client.get('/tenant/settings')).status, 401, 'a session before that login');
  assert.deepEqual(codeOf(await role('editor')), [409, 'MEMBER_PROTECTED']);
  assert.equal((await studio.client.delete(`/tenant/members/${member.userId}`)).status, 200);
  assert.equal(await orm.em.fork().count(Membership, { userId: member.userId }), 0);
});

test('a grant for everybody makes members, and changes none by invitation until a group names them', async () => {
  const admin = await createMember(orm, run, { role: 'admin', tenantId: press.tenantId });
  const claims = { sub: randomUUID(), email: admin.email, email_verified: true };
  assert.deepEqual(await accessOf(await enter('partners', claims)), [[press.tenantId, 'admin']]);
  assert.equal((await admin.client.get('/tenant/settings')).status, 200, 'other logins still count');

  const editor = await createMember(orm, run, { role: 'editor', tenantId: press.tenantId });
  await enter('partners', { ...claims, sub: randomUUID(), email: editor.email, roles: ['desk'] });
  assert.equal((await editor.client.get('/tenant/settings')).status, 401);
  const { body: log } = await press.client.get(`/tenant/audit-logs?user_id=${editor.userId}`);
  const taken = log.items.find((entry: { event_type: string }) => entry.event_type === 'member.role_changed');
  assert.deepEqual(taken?.metadata, { from: 'editor', to: 'editor', issuer: providers.partners.issuer });
});

test('a full account refuses its new members, and keeps nobody out of another account', async () => {
  await orm.em.fork().execute(
    `with made as (insert into users (id, email, name, preferences, created_at)
       select gen_random_uuid(), 'crowd-' || gen_random_uuid() || '@example.org', 'Crowd', '{}', now()
       from generate_series(1, ?) returning id)
     insert into invitations (tenant_id, user_id, role, created_at) select ?, id, 'viewer', now() from made`,
    [MAX_MEMBERS, full.tenantId],
  );
  const both = await enter('staff', person('studio.example', { groups: ['crowd', 'media'] }));
  assert.deepEqual(await accessOf(both), [[studio.tenantId, 'editor']]);
  const { answer } = await logIn('staff', person('studio.example', { groups: ['crowd'] }));
  assert.deepEqual(codeOf(answer), [409, 'MEMBER_LIMIT']);
  const { body: log } = await full.client.get('/tenant/audit-logs?event_type=member.joined&result=failure');
  assert.equal(log.total_count, 2);
});

test('what a provider gave ends with its grants, and is for others to change once its issuer is gone', async () => {
  const ada = person('studio.example', { groups: ['media'] });
  const [bea, cy] = [person('press.example'), person('press.example')];
  const before = await enter('staff', ada);
  const { key } = (await before.post('/api-keys', { name: 'theirs' })).body;
  await enter('partners', bea);
  const partner = await enter('partners', cy);
  const userId: string = (await partner.get('/auth/session')).body.user.id;

  const moved = await startOpenIdProvider();
  const [staff, partners] = JSON.parse(settings['OIDC_PROVIDERS'] ?? '');
  const changed = await startReplica({
    ...settings,
    OIDC_PROVIDERS: JSON.stringify([
      { ...staff, grants: [] },
      { ...partners, issuer: moved.issuer },
    ]),
  });
  try {
    const { answer, browser } = await logIn('staff', ada, undefined, changed);
    assert.equal(answer.status, 302, JSON.stringify(answer.body));
    assert.deepEqual(
      (await accessOf(browser)).map(([, role]) => role),
      ['owner'],
      'of an account of their own',
    );
    assert.equal((await before.get('/auth/session')).status, 401);
    assert.equal((await before.request('GET', '/files', undefined, { 'X-API-Key': key })).status, 401);

    const next = await logIn('partners', bea, undefined, { url: changed.url, provider: moved });
    assert.deepEqual(await accessOf(next.browser), [[press.tenantId, 'viewer']], 'at another issuer');

    const roleAt = async (url: string, role: string) => {
      const { client } = await openSession(orm, { ...run, api_url: url }, press);
      return client.patch(`/tenant/members/${userId}/role`, { role });
    };
    assert.deepEqual(codeOf(await roleAt(replica.url, 'editor')), [409, 'MEMBER_PROTECTED']);
    assert.equal((await roleAt(changed.url, 'viewer')).status, 200);
    const { grantedBy } = await orm.em.fork().findOneOrFail(Membership, { userId });
    assert.equal(grantedBy, null, 'the same role too');
  } finally {
    await changed.stop();
    await moved.stop();
  }
});

test('concurrent first logins of one person make one member', async () => {
  const ada = person('studio.example', { groups: ['media'] });
  const answers = await Promise.all(Array.from({ length: 5 }, () => logIn('staff', ada)));
  assert.deepEqual(new Set(answers.map(({ answer }) => answer.status)), new Set([302]));
});

test('the doctor reports providers that do not respond or name another issuer, and accounts that do not exist', async () => {
  const check = async (change: (list: Record<string, unknown>[]) => void) => {
    const list = JSON.parse(settings['OIDC_PROVIDERS'] ?? '');
    change(list);
    const env = { ...process.env, ...settings, OIDC_PROVIDERS: JSON.stringify(list) };
    const found = await runChecks([identityProvider], env, 20_000);
    return Object.fromEntries(found.map((each) => [each.check, `${each.outcome}: ${each.detail}`]));
  };
  assert.ok(Object.values(await check(() => undefined)).every((detail) => detail.startsWith('ok')));
  const absent = randomUUID();
  const found = await check(([staff, partners]) => {
    Object.assign(staff ?? {}, { issuer: `${providers.staff.issuer}/absent` });
    Object.assign(partners ?? {}, {
      issuer: providers.partners.issuer.replace('127.0.0.1', 'localhost'),
      grants: [{ tenant_id: absent, role: 'viewer' }],
    });
  });
  assert.match(found['issuer of staff'] ?? '', /^failed: .* answered 404$/);
  assert.match(found['issuer of partners'] ?? '', /^failed: .* is of http:\/\/127\.0\.0\.1/);
  assert.equal(found['groups of partners'], `failed: no account ${absent}`);
  assert.equal(found['groups of staff'], 'ok: 3 grants');
});
