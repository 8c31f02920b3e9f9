import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { AuditEvent } from '../../../db/entities/accounts/audit-event.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { listTenants } from '../../../services/accounts/list-tenants.ts';
import { sharedRun } from '../../support/api.ts';
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

test('an operator creates a tenant and changes its tier and limits, and the audit log says so', async () => {
  const created = await admin(
    'create-tenant',
    'Studio',
    '--owner',
    'Ada@Studio.example',
    '--tier',
    'starter',
  );
  assert.equal(created.code, 0, created.output);
  assert.match(created.output, /^Owner {5}Ada@Studio\.example\nPassword {2}[\w-]{20}$/m);
  const id = /tenant ([0-9a-f-]{36})/.exec(created.output)?.[1] ?? '';
  assert.partialDeepStrictEqual(await listed(id), {
    name: 'Studio',
    tier: 'starter',
    ownerEmail: 'ada@studio.example',
    requestsPerMinute: 30,
    creditsPerMonth: 1000,
    creditsUsed: 0,
  });

  const [second] = await Promise.all([
    admin('create-tenant', 'Studio 2', '--owner', 'ada@studio.example'),
    admin('set-tier', id, 'professional'),
  ]);
  assert.match(second.output, /has an account already/);
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

test('what cannot be done is said in a line, and changes nothing', async () => {
  const absent = '00000000-0000-4000-8000-000000000000';
  const cases: [string[], number, RegExp][] = [
    [['create-tenant', 'x', '--owner', 'nobody'], 2, /e-mail address/],
    [['set-tier', absent, 'free'], 1, /no tenant/],
    [['set-limits', absent, '--requests-per-minute', '0'], 2, /whole number/],
  ];
  const answers = await Promise.all(cases.map(([args]) => admin(...args)));
  for (const [index, [args, code, message]] of cases.entries()) {
    assert.equal(answers[index]?.code, code, args.join(' '));
    assert.match(answers[index]?.output ?? '', message);
  }
});
