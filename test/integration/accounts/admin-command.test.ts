import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { AuditEvent } from '../../../db/entities/accounts/audit-event.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { listTenants } from '../../../services/accounts/list-tenants.ts';
import { issueToken } from '../../../services/accounts/account-tokens.ts';
import { createClient, eventually, sharedRun } from '../../support/api.ts';
import { logIn } from '../../support/login.ts';
import { openBrowser } from '../../support/browser.ts';
import { mailTo } from '../../support/mails.ts';
import { runProject } from '../../support/run-program.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const admin = (...args: string[]) => runProject('cli/admin/main.ts', args, {});
const listed = async (id: string) => (await listTenants(orm.em.fork())).find((tenant) => tenant.id === id);

test('an account with an unverified address gets the new password with the tenant', async () => {
  const email = `early-${randomUUID().slice(0, 8)}@studio.example`;
  const early = openBrowser(sharedRun().api_url);
  const password = `early-${randomUUID()}`;
  await early.post('/auth/register', { email, password });
  await mailTo(email, /^Verify/);
  const { output } = await admin('create-tenant', 'Studio', '--owner', email, '--tier', 'enterprise');
  const given = /^Password {2}([\w-]{20})$/m.exec(output)?.[1] ?? '';
  assert.equal((await early.post('/auth/login', { email, password })).status, 401);
  const login = await openBrowser(sharedRun().api_url).post('/auth/login', { email, password: given });
  assert.deepEqual([login.status, login.body.tenants?.length], [200, 2]);
});

test('an operator creates a tenant and changes its tier and limits, and the audit log has both', async () => {
  const created = await admin(
    'create-tenant',
    'Studio',
    '--owner',
    'Eve@Studio.example',
    '--tier',
    'starter',
  );
  assert.equal(created.code, 0, created.output);
  assert.match(created.output, /^Owner {5}eve@studio\.example\nPassword {2}[\w-]{20}$/m);
  const id = /tenant ([0-9a-f-]{36})/.exec(created.output)?.[1] ?? '';
  assert.partialDeepStrictEqual(await listed(id), {
    name: 'Studio',
    tier: 'starter',
    ownerEmail: 'eve@studio.example',
    requestsPerMinute: 30,
    creditsPerMonth: 1000,
    creditsUsed: 0,
  });

  const [second] = await Promise.all([
    admin('create-tenant', 'Studio 2', '--owner', 'eve@studio.example'),
    admin('set-tier', id, 'professional'),
  ]);
  assert.match(second.output, /already has an account/);
  assert.doesNotMatch(second.output, /Password/);
  await admin('set-limits', id, '--requests-per-minute', '250', '--monthly-credits', 'unlimited');
  assert.partialDeepStrictEqual(await listed(id), { requestsPerMinute: 250, creditsPerMonth: -1 });
  const reset = await admin('set-limits', id, '--monthly-credits', 'tier');
  assert.match(reset.output, /professional, requests per minute 250, monthly credits of its tier/);

  const events = await orm.em.fork().find(AuditEvent, { tenantId: id }, { orderBy: { occurredAt: 'asc' } });
  assert.deepEqual(
    events.map(({ eventType }) => eventType),
    ['tenant.created', ...Array.from({ length: 3 }, () => 'tenant.limits_changed')],
  );
  assert.deepEqual(events[1]?.metadata['changes'], { tier: 'professional' });
});

interface Studio {
  tenantId: string;
  ownerId: string;
  ownerEmail: string;
  password: string;
}

async function createStudio(tier: string): Promise<Studio> {
  const owner = `owner-${randomUUID().slice(0, 8)}@studio.example`;
  const created = await admin('create-tenant', 'Studio', '--owner', owner, '--tier', tier, '--json');
  assert.equal(created.code, 0, created.output);
  return JSON.parse(created.output) as Studio;
}

test('two commands create a tenant and a key, which works immediately, with its scopes only', async () => {
  const { tenantId } = await createStudio('starter');
  const created = await admin('create-key', tenantId, '--name', 'Scanner', '--scopes', 'files.read');
  assert.match(created.output, /^drk_\w{8}_[\w-]{43}\n$/);
  const client = createClient(sharedRun(), created.output.trim());
  assert.equal((await client.get('/files')).status, 200);
  const refused = await client.upload({ bytes: new Uint8Array([1]) });
  assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
  const [event] = await orm.em.fork().find(AuditEvent, { tenantId, eventType: 'api_key.created' });
  assert.deepEqual([event?.userId, event?.metadata['by']], [null, 'operator']);
});

test('a tenant whose tier has no API access gets no key', async () => {
  const { tenantId } = await createStudio('free');
  const { code, output } = await admin('create-key', tenantId);
  assert.equal(code, 1);
  assert.match(
    output,
    /^Refused: API keys do not work in the tier free; raise it with npm run admin -- set-tier \(INSUFFICIENT_TIER\)\.\n$/,
  );
});

test('users are listed with their roles, optionally those of one tenant', async () => {
  const { tenantId, ownerId, ownerEmail } = await createStudio('starter');
  const users = JSON.parse((await admin('list-users', '--tenant', tenantId, '--json')).output) as unknown;
  assert.deepEqual(users, [
    {
      id: ownerId,
      email: ownerEmail,
      emailVerified: true,
      hasPassword: true,
      lastLoginAt: null,
      tenants: [{ id: tenantId, name: 'Studio', role: 'owner' }],
    },
  ]);
  const allUsers = (await admin('list-users')).output;
  assert.ok(allUsers.includes(`${ownerId}  ${ownerEmail}: owner of Studio, last login never\n`));
});

test('a password reset works immediately, also for an unverified address, and ends sessions and reset links', async () => {
  const email = `lost-${randomUUID().slice(0, 8)}@studio.example`;
  const password = `first-${randomUUID()}`;
  const browser = openBrowser(sharedRun().api_url);
  await browser.post('/auth/register', { email, password });
  const em = orm.em.fork();
  const user = await eventually(() => em.findOneOrFail(User, { email }));
  const link = await issueToken(em, { kind: 'reset_password', userId: user.id, email });

  for (const _again of [1, 2]) {
    const { code, output } = await admin('reset-password', email.toUpperCase());
    assert.equal(code, 0, output);
    const given = /^Password {2}([\w-]{20})$/m.exec(output)?.[1] ?? '';
    const login = openBrowser(sharedRun().api_url);
    assert.equal((await login.post('/auth/login', { email, password: given })).status, 200);
    assert.equal((await login.post('/auth/login', { email, password })).status, 401);
    const session = await login.get('/auth/session');
    assert.equal(session.body.user.email_verified, true);
    await admin('reset-password', email);
    assert.equal((await login.get('/auth/session')).status, 401);
  }
  const late = await browser.post('/auth/reset-password', { token: link, password: randomUUID() });
  assert.deepEqual([late.status, late.body.code], [400, 'TOKEN_INVALID']);
});

test('a disabled tenant gets TENANT_DISABLED by key, by session and at login, until it is enabled', async () => {
  const { tenantId, ownerEmail: email, password } = await createStudio('starter');
  const client = createClient(sharedRun(), (await admin('create-key', tenantId)).output.trim());
  const browser = openBrowser(sharedRun().api_url);
  assert.equal((await browser.post('/auth/login', { email, password })).status, 200);

  assert.equal((await admin('disable-tenant', tenantId)).output, 'Studio is disabled.\n');
  const refused = [
    await client.get('/files'),
    await browser.get('/files'),
    await openBrowser(sharedRun().api_url).post('/auth/login', { email, password }),
  ];
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'TENANT_DISABLED']);
  assert.match((await admin('list-tenants')).output, new RegExp(`^${tenantId}.*, disabled$`, 'm'));
  assert.equal((await admin('create-key', tenantId)).code, 1);

  await admin('enable-tenant', tenantId);
  assert.equal((await client.get('/files')).status, 200);
  assert.equal((await browser.get('/files')).status, 200);
  const events = await orm.em.fork().find(AuditEvent, { tenantId, eventType: /^tenant\..*abled$/ });
  assert.deepEqual(events.map(({ eventType }) => eventType).toSorted(), [
    'tenant.disabled',
    'tenant.enabled',
  ]);
});

test('an invalid command prints one line and changes nothing', async () => {
  const absent = '00000000-0000-4000-8000-000000000000';
  const cases: [string[], number, RegExp][] = [
    [['create-tenant', 'x', '--owner', 'nobody'], 2, /email address/],
    [['set-tier', absent, 'free'], 1, /no tenant/],
    [['set-limits', absent, '--requests-per-minute', '0'], 2, /whole number/],
    [['create-key', 'nothing'], 2, /not the id of a tenant/],
    [['create-key', absent], 1, /tenant not found \(NOT_FOUND\)/],
    [['create-key', absent, '--scopes', 'files.read,all'], 2, /"all" is not a scope/],
    [['reset-password', 'nobody'], 2, /email address/],
    [['reset-password', 'nobody@studio.example'], 1, /no user/],
    [['disable-tenant', absent], 1, /no tenant/],
    [['enable-tenant', absent], 1, /no tenant/],
    [['list-users', '--tenant', 'nothing'], 2, /not the id of a tenant/],
  ];
  const answers = await Promise.all(cases.map(([args]) => admin(...args)));
  for (const [index, [args, code, message]] of cases.entries()) {
    assert.equal(answers[index]?.code, code, args.join(' '));
    assert.match(answers[index]?.output ?? '', message);
    assert.equal(answers[index]?.output.trim().split('\n').length, 1, args.join(' '));
  }
});

test('one command migrates an empty database and creates its tenants, and a repeat changes nothing', async (t) => {
  const name = `seeded_${randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-seed-'));
  await orm.em.execute(`create database ${name}`);
  t.after(async () => {
    rmSync(folder, { recursive: true });
    await orm.em.execute(`drop database ${name}`);
  });
  const url = new URL(process.env['DATABASE_URL'] ?? '');
  url.pathname = name;
  const file = join(folder, 'credentials.json');
  const seed = (...flags: string[]) =>
    runProject('cli/admin/main.ts', ['seed', '--credentials', file, ...flags], { DATABASE_URL: url.href });

  const unmigrated = await seed();
  assert.notEqual(unmigrated.code, 0);
  const first = await seed('--migrate');
  assert.equal(first.code, 0, first.output);
  assert.match(
    first.output,
    /^Applied \d+ migration\(s\) and \d+ file\(s\) of functions\.\nCreated the tenants\./m,
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const keys = readFileSync(file, 'utf8');
  const second = await seed('--migrate');
  assert.deepEqual(second, {
    code: 0,
    output: 'Schema is up to date.\nThe tenants already exist; nothing changed.\n',
  });
  assert.equal(readFileSync(file, 'utf8'), keys);
});

test('the audit log is printed as lines of JSON, and goes on from a cursor', async () => {
  const { tenantId } = await logIn(orm, sharedRun());
  const occurredAt = new Date('2026-01-01');
  for (const eventType of ['auth.login', 'auth.logout'] as const) {
    await orm.em.fork().insert(AuditEvent, {
      id: randomUUID(),
      tenantId,
      eventType,
      occurredAt,
      severity: 'info',
      action: 'login',
      result: 'success',
      metadata: {},
    });
  }
  const read = async (...args: string[]) => {
    const { output, code } = await admin('audit-log', '--tenant', tenantId, ...args);
    assert.equal(code, 0, output);
    return output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, string>);
  };
  const [first, second] = await read();
  assert.deepEqual([first?.['tenant_id'], first?.['event_timestamp']], [tenantId, occurredAt.toISOString()]);
  assert.deepEqual((await read('--after', first?.['cursor'] ?? ''))[0], second);
});
