import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { removeEndedWebhooks } from '../../../services/webhooks/remove-ended.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { logIn } from '../../support/login.ts';
import { ok, startWebhookReceiver, status } from '../../support/webhook-receiver.ts';
import { subscribe } from '../../support/webhooks.ts';
import { RETRY_WEBHOOK } from '../../../temporal/contract/retry-webhook.ts';

/** The admission of deliveries: which are sent and which wait, on the shared stack. */
const run = sharedRun();
const config = readConfig([databaseConfig, temporalConfig], process.env);
let orm: Orm;
let engine: Engine;
before(() => {
  orm = createOrm(config);
  engine = createEngine(config);
});
after(async () => {
  await engine.close();
  await orm.close(true);
});

const SUBSCRIPTIONS = '/webhooks/subscriptions';

/** Adds an event with its delivery to each of these subscriptions. */
async function addEvents(tenantId: string, subscriptionIds: readonly string[], n = 0): Promise<void> {
  await orm.em.fork().execute(
    `with event as (
       insert into webhook_events (id, tenant_id, type, data, created_at)
       values (gen_random_uuid(), ?::uuid, 'file.completed', ?::jsonb, now()) returning id)
     insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, status, created_at)
     select gen_random_uuid(), ?::uuid, subscription, event.id, 'pending', now()
     from event, unnest(?::uuid[]) as subscription`,
    [tenantId, JSON.stringify({ n }), tenantId, `{${subscriptionIds.join(',')}}`],
  );
}

/** How many deliveries of these subscriptions have each status. */
async function counts(subscriptionIds: readonly string[]): Promise<Record<string, number>> {
  const rows = await orm.em
    .fork()
    .execute<{ status: string; count: number }[]>(
      'select status, count(*)::int from webhook_deliveries where subscription_id = any(?::uuid[]) group by status',
      [`{${subscriptionIds.join(',')}}`],
    );
  return Object.fromEntries(rows.map(({ status: its, count }) => [its, count]));
}

test('a receiver that refuses many events of one kind still gets the others, and one workflow retries them', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.stop());
  const { tenantId } = await logIn(orm, run);
  const id = await subscribe(orm, { tenantId, url: receiver.url });
  receiver.answer((response, event) => (event.data.n < 110 ? status(400) : ok)(response, event));
  // Every fifth event is accepted, since the receiver is healthy otherwise.
  for (let n = 0; n < 110; n += 1) await addEvents(tenantId, [id], n % 5 === 0 ? 110 : n);
  await eventually(async () => assert.deepEqual(await counts([id]), { retrying: 88, delivered: 22 }), 60);
  assert.deepEqual(await runningOf(tenantId), [RETRY_WEBHOOK.id({ tenantId, subscriptionId: id })]);
  await addEvents(tenantId, [id], 110);
  await eventually(async () => assert.equal((await counts([id]))['delivered'], 23), 90);
});

/** The ids of a tenant's workflows that run. */
async function runningOf(tenantId: string): Promise<string[]> {
  const query = `TenantId = '${tenantId}' AND ExecutionStatus = 'Running'`;
  return eventually(async () => {
    const ids: string[] = [];
    for await (const { workflowId } of engine.client.workflow.list({ query })) ids.push(workflowId);
    assert.ok(ids.length > 0, 'none is listed yet');
    return ids;
  });
}

test('hanging webhooks of single requests are bounded together, and do not delay other webhooks', async (t) => {
  const hanging = await startWebhookReceiver();
  const quick = await startWebhookReceiver();
  t.after(() => Promise.all([hanging.stop(), quick.stop()]));
  hanging.answer(() => undefined);
  const { tenantId } = await logIn(orm, run);
  const ofRequests = await Promise.all(
    Array.from({ length: 60 }, () =>
      subscribe(orm, { tenantId, url: hanging.url, subjectId: crypto.randomUUID() }),
    ),
  );
  await addEvents(tenantId, ofRequests);
  await eventually(async () => assert.deepEqual(await counts(ofRequests), { pending: 40, sending: 20 }));
  const regular = await subscribe(orm, { tenantId, url: quick.url });
  await addEvents(tenantId, [regular]);
  await eventually(async () => assert.deepEqual(await counts([regular]), { delivered: 1 }));
  assert.ok(((await counts(ofRequests))['sending'] ?? 0) <= 20);
});

test('webhooks of single requests at one host share the state of its failures', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.stop());
  const { tenantId } = await logIn(orm, run);
  const host = new URL(receiver.url).host;
  const ofRequest = (path: string) =>
    subscribe(orm, { tenantId, url: receiver.url + path, subjectId: crypto.randomUUID() });
  const [old, recent, probe] = [await ofRequest('old'), await ofRequest('recent'), await ofRequest('probe')];
  await orm.em.fork().execute(
    `insert into webhook_failing_hosts (tenant_id, host, failing_since, last_dispatched_at)
     values (?, ?, now() - interval '4 days', now() + interval '1 hour')`,
    [tenantId, host],
  );
  await addEvents(tenantId, [old]);
  await eventually(async () => assert.deepEqual(await counts([old]), { pending: 1 }));
  const age = `update webhook_deliveries set created_at = now() - interval '3 days' where subscription_id = ?`;
  await orm.em.fork().execute(age, [old]);
  await addEvents(tenantId, [recent]);
  // Deliveries to a failing host are cancelled after three days.
  await eventually(async () => assert.deepEqual(await counts([old]), { cancelled: 1 }));
  assert.deepEqual(await counts([recent]), { pending: 1 });
  assert.equal(receiver.events.length, 0);

  const probed = `update webhook_failing_hosts set last_dispatched_at = now() - interval '61 s' where tenant_id = ?`;
  await orm.em.fork().execute(probed, [tenantId]);
  await addEvents(tenantId, [probe]);
  // One of them is the probe; its success releases the other one.
  await eventually(async () => assert.deepEqual(await counts([recent, probe]), { delivered: 2 }));
  const left = await orm.em
    .fork()
    .execute('select from webhook_failing_hosts where tenant_id = ?', [tenantId]);
  assert.equal(left.length, 0);
});

test('retries of the webhooks of single requests share one workflow, which goes on until all have arrived', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.stop());
  const { tenantId } = await logIn(orm, run);
  const ids = await Promise.all(
    Array.from({ length: 3 }, () =>
      subscribe(orm, { tenantId, url: receiver.url, subjectId: crypto.randomUUID() }),
    ),
  );
  receiver.answer(status(500));
  await addEvents(tenantId, ids);
  await eventually(async () => assert.deepEqual(await counts(ids), { retrying: 3 }));
  assert.deepEqual(await runningOf(tenantId), [RETRY_WEBHOOK.id({ tenantId })]);
  receiver.answer(ok);
  await eventually(async () => assert.deepEqual(await counts(ids), { delivered: 3 }));
  const workflow = engine.client.workflow.getHandle(RETRY_WEBHOOK.id({ tenantId }));
  await eventually(async () => assert.equal((await workflow.describe()).status.name, 'COMPLETED'));
});

test('disabling a webhook ends the workflow that retries its deliveries, and a redelivery begins the schedule again', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.stop());
  const { client, tenantId } = await logIn(orm, run);
  const id = await subscribe(orm, { tenantId, url: receiver.url });
  receiver.answer(status(503, { 'retry-after': '3600' }));
  const { body: delivery } = await client.post(`${SUBSCRIPTIONS}/${id}/test`, {});
  const workflow = engine.client.workflow.getHandle(RETRY_WEBHOOK.id({ tenantId, subscriptionId: id }));
  // A worker that another test stops may have taken the first attempt, and its lease is half a minute.
  const waits = () =>
    eventually(async () => {
      assert.deepEqual(await counts([id]), { retrying: 1 });
      assert.equal((await workflow.describe()).status.name, 'RUNNING');
    }, 90);
  await waits();
  await client.patch(`${SUBSCRIPTIONS}/${id}`, { enabled: false });
  await eventually(async () => assert.equal((await workflow.describe()).status.name, 'COMPLETED'));
  await client.patch(`${SUBSCRIPTIONS}/${id}`, { enabled: true });
  receiver.answer(status(500));
  assert.equal((await client.post(`/webhooks/deliveries/${delivery.id}/redeliver`, {})).status, 202);
  await waits();
  const { body } = await client.get(`/webhooks/deliveries/${delivery.id}`);
  const wait = Date.parse(body.next_attempt_at) - Date.parse(body.attempts.at(-1).started_at);
  assert.ok(body.attempt_count === 2 && wait < 10_000, JSON.stringify(body));
  receiver.answer(ok);
  await eventually(async () => assert.deepEqual(await counts([id]), { delivered: 1 }));
});

test('a rotation replaces a secret that cannot be decrypted', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.stop());
  const { client, tenantId } = await logIn(orm, run);
  const id = await subscribe(orm, { tenantId, url: receiver.url });
  const update = `update webhook_subscriptions set encryption_key_id = 'unknown' where id = ?`;
  await orm.em.fork().execute(update, [id]);
  const rotated = await client.post(`${SUBSCRIPTIONS}/${id}/rotate-secret`, {});
  assert.deepEqual([rotated.status, rotated.body.previous_secret_until], [200, null]);
  await client.post(`${SUBSCRIPTIONS}/${id}/test`, {});
  await eventually(async () => assert.deepEqual(await counts([id]), { delivered: 1 }));
  const [event] = receiver.events;
  assert.ok(event);
  receiver.verify(event, rotated.body.secret);
});

test('a disabled webhook of a single request is removed after thirty days', async () => {
  const { tenantId } = await logIn(orm, run);
  const [old = '', recent = ''] = await Promise.all(
    [31, 29].map(async (days) => {
      const id = await subscribe(orm, { tenantId, subjectId: crypto.randomUUID(), enabled: false });
      const update =
        'update webhook_subscriptions set disabled_at = now() - make_interval(days => ?) where id = ?';
      await orm.em.fork().execute(update, [days, id]);
      return id;
    }),
  );
  await removeEndedWebhooks(orm.em.fork());
  const left = await orm.em
    .fork()
    .execute<{ id: string }[]>('select id from webhook_subscriptions where id in (?, ?)', [old, recent]);
  assert.deepEqual(left, [{ id: recent }]);
});
