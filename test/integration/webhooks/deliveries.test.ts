import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test, type TestContext } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { WebhookDelivery } from '../../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookSubscription } from '../../../db/entities/webhooks/webhook-subscription.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { ALL_WORK } from '../../../services/all-work.ts';
import { handOverDeliveries } from '../../../services/webhooks/reconcile-delivery.ts';
import { removeEndedWebhooks } from '../../../services/webhooks/remove-ended.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun, type Json } from '../../support/api.ts';
import { images } from '../../support/images.ts';
import { logIn, type LoggedIn } from '../../support/login.ts';
import { mailTo, mailsTo } from '../../support/mails.ts';
import {
  addAbandonedDelivery,
  ok,
  startWebhookReceiver,
  status,
  type WebhookReceiver,
} from '../../support/webhook-receiver.ts';
import { WEBHOOK_WORKFLOWS } from '../../../temporal/contract/deliver-webhook.ts';
import { RETRY_WEBHOOK } from '../../../temporal/contract/retry-webhook.ts';
import { startWorkflow } from '../../../temporal/start-workflow.ts';

/** Deliveries to receivers of all kinds, on the shared stack. */
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

interface Subscribed {
  owner: LoggedIn;
  receiver: WebhookReceiver;
  webhook: Json;
  /** Sends a test event and returns its delivery. */
  sendTest: () => Promise<Json>;
  /** Waits until a delivery is as expected. */
  delivery: (id: string, fits: (delivery: Json) => void, seconds?: number) => Promise<Json>;
}

/** A receiver with a subscription of a new tenant. */
async function subscribe(t: TestContext, body: Json = {}): Promise<Subscribed> {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.stop());
  const owner = await logIn(orm, run);
  const { client } = owner;
  const wanted = { url: receiver.url, event_types: ['*'], ...body };
  const { status: code, body: webhook } = await client.post('/webhooks/subscriptions', wanted);
  assert.equal(code, 201, JSON.stringify(webhook));
  return {
    owner,
    receiver,
    webhook,
    async sendTest() {
      const sent = await client.post(`/webhooks/subscriptions/${webhook.id}/test`, {});
      assert.equal(sent.status, 202, JSON.stringify(sent.body));
      return sent.body;
    },
    delivery: (id, fits, seconds = 30) =>
      eventually(async () => {
        const { body: record } = await client.get(`/webhooks/deliveries/${id}`);
        fits(record);
        return record;
      }, seconds),
  };
}

const has = (wanted: string) => (record: Json) => assert.equal(record.status, wanted, JSON.stringify(record));

test('an event arrives within seconds, signed, with ids and links, and the log records its attempt', async (t) => {
  const { owner, receiver, webhook, delivery } = await subscribe(t, { event_types: ['file.*'] });
  const [image] = await images(1, 200, 100);
  assert.ok(image);
  const fileId = await owner.client.ingest({ bytes: image.bytes });
  await owner.client.settled(fileId);
  const completed = await eventually(async () => {
    const found = receiver.events.find(({ type }) => type === 'file.completed');
    assert.ok(found, 'not yet received');
    return found;
  });
  const body = receiver.verify(completed, webhook.secret);
  assert.equal(body.data.file_id, fileId);
  assert.match(body.data.links.file, new RegExp(`^http.*/api/v2/files/${fileId}$`));
  assert.ok(Date.now() - Date.parse(body.timestamp) < 60_000);
  const path = `/webhooks/subscriptions/${webhook.id}/deliveries`;
  const listed = await eventually(async () => {
    const { body: log } = await owner.client.get(`${path}?status=delivered`);
    const found = log.items.find(({ event_type: type }: Json) => type === 'file.completed');
    assert.ok(found, 'not yet recorded');
    return found;
  });
  assert.equal(listed.event_id, completed.id);
  const record = await delivery(listed.id, has('delivered'));
  assert.equal(record.attempt_count, 1);
  const [{ number, status_code: code, error, latency_ms: latency }] = record.attempts;
  assert.deepEqual([number, code, error], [1, 204, null]);
  assert.ok(latency >= 0);
  const { body: others } = await owner.client.get(`${path}?status=failed`);
  assert.equal(others.total_count, 0);
});

test('a failed attempt is retried with the same id, no earlier than the Retry-After of the receiver', async (t) => {
  const { receiver, webhook, sendTest, delivery } = await subscribe(t);
  receiver.answer(status(503, { 'retry-after': '7' }));
  const { id } = await sendTest();
  const retrying = await delivery(id, has('retrying'));
  receiver.answer(ok);
  const [failed] = retrying.attempts;
  assert.deepEqual(
    [failed.status_code, failed.error, failed.response_body],
    [503, 'it answered 503', 'it is 503'],
  );
  const wait = Date.parse(retrying.next_attempt_at) - Date.parse(failed.started_at);
  assert.ok(wait >= 7000 && wait < 8000, `${wait} ms`);
  const delivered = await delivery(id, has('delivered'));
  assert.deepEqual(
    delivered.attempts.map(({ number }: Json) => number),
    [1, 2],
  );
  const [first, second] = receiver.events;
  assert.ok(first && second);
  assert.equal(first.id, second.id);
  assert.ok(second.receivedAt - first.receivedAt >= 6900);
  receiver.verify(second, webhook.secret);
});

test('after a rotation, both secrets verify; the secret is shown once', async (t) => {
  const { owner, receiver, webhook, sendTest, delivery } = await subscribe(t);
  const path = `/webhooks/subscriptions/${webhook.id}`;
  const { body: rotated } = await owner.client.post(`${path}/rotate-secret`, {});
  assert.notEqual(rotated.secret, webhook.secret);
  const hours = (Date.parse(rotated.previous_secret_until) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, `${hours}`);
  await delivery((await sendTest()).id, has('delivered'));
  const [event] = receiver.events;
  assert.ok(event);
  for (const { secret } of [webhook, rotated]) receiver.verify(event, secret);
  await orm.em
    .fork()
    .execute('update webhook_subscriptions set previous_secret_until = now() where id = ?', [webhook.id]);
  await delivery((await sendTest()).id, has('delivered'));
  const later = receiver.events.at(-1);
  assert.ok(later);
  receiver.verify(later, rotated.secret);
  assert.throws(() => receiver.verify(later, webhook.secret));
  const { body: read } = await owner.client.get(path);
  assert.ok(!('secret' in read));
  assert.equal(read.previous_secret_until, null);
});

test('410 disables the webhook immediately, with a reason and an email; missed events are sent again on request', async (t) => {
  const { owner, receiver, webhook, sendTest, delivery } = await subscribe(t);
  const since = new Date(Date.now() - 60_000).toISOString();
  const path = `/webhooks/subscriptions/${webhook.id}`;
  receiver.answer(status(410));
  const { id } = await sendTest();
  await delivery(id, has('failed'));
  const { body: disabled } = await owner.client.get(path);
  assert.deepEqual(
    [disabled.enabled, disabled.disabled_reason],
    [false, 'the receiver answered 410: it is gone'],
  );
  const mail = await mailTo(owner.email, /webhook was disabled/);
  assert.ok(mail.text.replaceAll(/=?\r?\n/g, '').includes(receiver.url.replaceAll('=', '=3D')));
  for (const request of [`${path}/test`, `/webhooks/deliveries/${id}/redeliver`]) {
    const refused = await owner.client.post(request, {});
    assert.deepEqual([refused.status, refused.body.code], [409, 'WEBHOOK_DISABLED']);
  }
  receiver.answer(ok);
  const { body: enabled } = await owner.client.patch(path, { enabled: true });
  assert.deepEqual([enabled.enabled, enabled.disabled_reason, enabled.failing_since], [true, null, null]);
  const { body: again } = await owner.client.post(`${path}/redeliver-failed`, { since });
  assert.deepEqual(again, { redelivered: 1, has_more: false });
  const delivered = await delivery(id, has('delivered'));
  assert.equal(delivered.attempt_count, 2);
  assert.equal(new Set(receiver.events.map((event) => event.id)).size, 1);
  assert.equal(mailsTo(owner.email).filter(({ subject }) => /webhook/.test(subject)).length, 1);
});

test('three days of failures disable the webhook and cancel its waiting deliveries', async (t) => {
  const { owner, receiver, webhook, sendTest, delivery } = await subscribe(t);
  receiver.answer(status(500));
  const { id } = await sendTest();
  const other = await sendTest();
  await delivery(other.id, has('retrying'));
  await delivery(id, has('retrying'));
  await orm.em
    .fork()
    .execute(`update webhook_subscriptions set failing_since = now() - interval '3 days' where id = ?`, [
      webhook.id,
    ]);
  await eventually(async () => {
    const { body } = await owner.client.get(`/webhooks/subscriptions/${webhook.id}`);
    assert.equal(body.disabled_reason, 'every attempt has failed for 3 days');
  });
  const ends = await Promise.all(
    [id, other.id].map((one) => delivery(one, ({ ended_at: at }: Json) => assert.ok(at))),
  );
  assert.deepEqual(ends.map((record) => record.status).toSorted(), ['cancelled', 'failed']);
});

test('an ended delivery is redelivered with the same id', async (t) => {
  const { owner, receiver, sendTest, delivery } = await subscribe(t);
  const { id } = await sendTest();
  await delivery(id, has('delivered'));
  const { status: code } = await owner.client.post(`/webhooks/deliveries/${id}/redeliver`, {});
  assert.equal(code, 202);
  await eventually(async () => assert.equal(receiver.events.length, 2));
  const [first, second] = receiver.events;
  assert.equal(first?.id, second?.id);
  const record = await delivery(id, has('delivered'));
  assert.deepEqual(
    record.attempts.map(({ number }: Json) => number),
    [1, 2],
  );
});

test('with ordering requested the events of one file arrive in order, and those of other files do not wait', async (t) => {
  const { owner, receiver, webhook } = await subscribe(t, { ordered: true });
  const { tenantId } = owner;
  const [late, other] = [randomUUID(), randomUUID()];
  receiver.answer((response, event) =>
    (event.data.n === 1 && event.data.file_id === late && receiver.events.length < 4 ? status(503) : ok)(
      response,
      event,
    ),
  );
  for (const n of [1, 2]) {
    for (const file of [late, other]) {
      const event = randomUUID();
      await orm.em.fork().execute(
        `with event as (
           insert into webhook_events (id, tenant_id, type, data, created_at)
           values (?::uuid, ?::uuid, 'file.completed', ?::jsonb, now()) returning id)
         insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, order_key, status, created_at)
         select gen_random_uuid(), ?::uuid, ?::uuid, id, ?::uuid, 'pending', now() from event`,
        [event, tenantId, JSON.stringify({ n, file_id: file }), tenantId, webhook.id, file],
      );
    }
  }
  await eventually(async () => assert.equal(receiver.events.length, 5));
  const numbers = (file: string) =>
    receiver.events.filter(({ data }) => data.file_id === file).map(({ data }) => data.n);
  assert.deepEqual(numbers(late), [1, 1, 2]);
  assert.deepEqual(numbers(other), [1, 2]);
  const position = receiver.events.findIndex(({ data }) => data.file_id === other && data.n === 2);
  assert.ok(position < 3, 'the events of the other file did not wait');
});

test('a hanging receiver holds a bounded number of requests, and deleting its webhook cancels the rest', async (t) => {
  const { owner, receiver, webhook } = await subscribe(t);
  receiver.answer(() => undefined);
  await addEvents(owner.tenantId, webhook.id, 300);
  await eventually(async () => assert.equal(receiver.events.length, 20));
  const counts = async () => {
    const rows = await orm.em
      .fork()
      .execute<{ status: string; count: number }[]>(
        'select status, count(*)::int from webhook_deliveries where subscription_id = ? group by status',
        [webhook.id],
      );
    return Object.fromEntries(rows.map(({ status: its, count }) => [its, count]));
  };
  assert.deepEqual(await counts(), { pending: 280, sending: 20 });
  const quick = await subscribe(t);
  const sentAt = Date.now();
  await quick.delivery((await quick.sendTest()).id, has('delivered'));
  t.diagnostic(`another tenant's event took ${Date.now() - sentAt} ms`);
  assert.equal((await owner.client.delete(`/webhooks/subscriptions/${webhook.id}`)).status, 204);
  await eventually(async () => assert.deepEqual(await counts(), { cancelled: 300 }));
  assert.equal((await owner.client.get(`/webhooks/subscriptions/${webhook.id}`)).status, 404);
});

test('a redelivery request triggers the next attempt of a waiting delivery immediately', async (t) => {
  const { owner, receiver, sendTest, delivery } = await subscribe(t);
  receiver.answer(status(503, { 'retry-after': '3600' }));
  const { id } = await sendTest();
  await delivery(id, has('retrying'));
  receiver.answer(ok);
  assert.equal((await owner.client.post(`/webhooks/deliveries/${id}/redeliver`, {})).status, 202);
  assert.equal((await delivery(id, has('delivered'))).attempt_count, 2);
});

test('deliveries whose workflow was terminated go on with the next that is due', async (t) => {
  const { owner, webhook, receiver, sendTest, delivery } = await subscribe(t);
  receiver.answer(status(500, { 'retry-after': '600' }));
  const { id } = await sendTest();
  await delivery(id, has('retrying'));
  receiver.answer(ok);
  const retries = { tenantId: owner.tenantId, subscriptionId: webhook.id };
  await eventually(() => engine.client.workflow.getHandle(RETRY_WEBHOOK.id(retries)).terminate('by hand'));
  await orm.em.fork().execute('update webhook_deliveries set engine_due_at = now() where id = ?', [id]);
  await sweep(id);
  await delivery(id, has('delivered'));
});

test('a delivery without a workflow after a crash gets one and arrives', async (t) => {
  const { owner, receiver, webhook, delivery } = await subscribe(t);
  const id = await addAbandonedDelivery(orm, owner.tenantId, webhook.id);
  await sweep(id);
  await delivery(id, has('delivered'));
  assert.equal(receiver.events.length, 1);
});

test('a first attempt that finds no slot is made by the workflow of its webhook', async (t) => {
  const { owner, webhook, delivery } = await subscribe(t);
  const { tenantId } = owner;
  const id = await addAbandonedDelivery(orm, tenantId, webhook.id);
  const leased = { engineDueAt: new Date(Date.now() + 3_600_000) };
  await orm.em.fork().nativeUpdate(WebhookDelivery, { id }, leased);
  const { eventId } = await orm.em.fork().findOneOrFail(WebhookDelivery, id);
  const event = { id: eventId, type: 'webhook.test', data: {}, createdAt: new Date() };
  const subscription = await orm.em.fork().findOneOrFail(WebhookSubscription, webhook.id as string);
  const admitted = { delivery: { id, tenantId, generation: 1 }, subscription, isFailing: false, event };
  assert.equal(await handOverDeliveries({ em: orm.em.fork(), engine }, [admitted]), true);
  await delivery(id, has('delivered'));
});

test('a delivery whose encryption key is missing waits for it without an attempt, and others do not wait', async (t) => {
  const { owner, webhook, sendTest, delivery } = await subscribe(t);
  const em = () => orm.em.fork();
  const { encryptionKeyId } = await em().findOneOrFail(WebhookSubscription, webhook.id as string);
  const keyIs = (key: string) =>
    em().nativeUpdate(WebhookSubscription, { id: webhook.id }, { encryptionKeyId: key });
  await keyIs('unknown');
  const id = await addAbandonedDelivery(orm, owner.tenantId, webhook.id);
  await sweep(id);
  const waiting = await delivery(id, ({ next_attempt_at: next }) => assert.ok(Date.parse(next) > Date.now()));
  assert.deepEqual([waiting.status, waiting.attempt_count], ['sending', 0]);
  const { body } = await owner.client.get(`/webhooks/subscriptions/${webhook.id}`);
  assert.deepEqual([body.enabled, body.failing_since], [true, null]);
  await keyIs(encryptionKeyId);
  await delivery((await sendTest()).id, has('delivered'));
  await em().nativeUpdate(WebhookDelivery, { id }, { engineDueAt: new Date() });
  await sweep(id);
  await delivery(id, has('delivered'));
});

test('a delivery that cannot even be attempted is postponed, and the workflow goes on to others', async (t) => {
  const { owner, webhook, delivery } = await subscribe(t);
  const em = () => orm.em.fork();
  const poisoned = await addAbandonedDelivery(orm, owner.tenantId, webhook.id);
  await em().execute(
    `update webhook_events set data = 'null' where id = (select event_id from webhook_deliveries where id = ?)`,
    [poisoned],
  );
  await sweep(poisoned);
  await eventually(async () => {
    const { status: left, nextAttemptAt, attempts } = await em().findOneOrFail(WebhookDelivery, poisoned);
    assert.deepEqual([left, attempts, Number(nextAttemptAt) > Date.now()], ['sending', 0, true]);
  }, 60);
  const id = await addAbandonedDelivery(orm, owner.tenantId, webhook.id);
  await sweep(id);
  await delivery(id, has('delivered'));
});

test('a workflow of version 0.1 makes one more attempt, and leaves the rest to the workflow of its webhook', async (t) => {
  const { owner, receiver, webhook, delivery } = await subscribe(t);
  const { tenantId } = owner;
  receiver.answer(status(500));
  const id = await addAbandonedDelivery(orm, tenantId, webhook.id);
  const former = { status: 'retrying', attempts: 1, nextAttemptAt: new Date(), engineDueAt: null } as const;
  await orm.em.fork().nativeUpdate(WebhookDelivery, { id }, former);
  const input = { deliveryId: id, tenantId, generation: 1, type: 'webhook.test' };
  await startWorkflow(engine, WEBHOOK_WORKFLOWS, input);
  const result = await engine.client.workflow.getHandle(WEBHOOK_WORKFLOWS.of(id)).result();
  assert.deepEqual(result, { outcome: 'ended', attempts: 1 });
  const waiting = await delivery(id, has('retrying'));
  assert.equal(waiting.attempt_count, 2);
  receiver.answer(ok);
  assert.equal((await owner.client.post(`/webhooks/deliveries/${id}/redeliver`, {})).status, 202);
  await delivery(id, has('delivered'));
});

test('a delivery that a workflow of version 0.1 retried and lost is found by the sweep', async (t) => {
  const { owner, webhook, delivery } = await subscribe(t);
  const id = await addAbandonedDelivery(orm, owner.tenantId, webhook.id);
  const hourAgo = new Date(Date.now() - 3_600_000);
  const former = {
    status: 'retrying',
    nextAttemptAt: hourAgo,
    createdAt: hourAgo,
    engineDueAt: null,
  } as const;
  await orm.em.fork().nativeUpdate(WebhookDelivery, { id }, former);
  const target = ALL_WORK.find(({ noun }) => noun === 'webhook delivery');
  const quietSince = new Date(Date.now() - 600_000);
  assert.ok(target);
  const found: string[] = [];
  for await (const page of target.findRunning(() => orm.em.fork(), { limit: 1000, quietSince }))
    found.push(...page);
  assert.ok(found.includes(id));
  await target.reconcile({ em: orm.em.fork(), engine }, id);
  await delivery(id, has('delivered'));
});

/** Does what the sweep does with a delivery that is due. */
async function sweep(id: string): Promise<void> {
  const target = ALL_WORK.find(({ noun }) => noun === 'webhook delivery');
  assert.ok((await target?.findDue(orm.em.fork(), new Date(Date.now() + 1000), 1000))?.includes(id));
  await target?.reconcile({ em: orm.em.fork(), engine }, id);
}

test('deliveries are removed after thirty days with their events, and deleted webhooks with their deliveries', async (t) => {
  const { owner, webhook, sendTest, delivery } = await subscribe(t);
  const [old, recent] = [await sendTest(), await sendTest()];
  for (const { id } of [old, recent]) await delivery(id, has('delivered'));
  const em = orm.em.fork();
  await em.execute(`update webhook_deliveries set ended_at = now() - interval '31 days' where id = ?`, [
    old.id,
  ]);
  await removeEndedWebhooks(orm.em.fork());
  const left = async () =>
    (
      await em.execute<{ id: string }[]>(
        'select id from webhook_events where tenant_id = ? union all select id from webhook_subscriptions where tenant_id = ?',
        [owner.tenantId, owner.tenantId],
      )
    ).map(({ id }) => id);
  assert.deepEqual((await left()).toSorted(), [recent.event_id, webhook.id].toSorted());
  assert.equal((await owner.client.get(`/webhooks/deliveries/${old.id}`)).status, 404);
  await owner.client.delete(`/webhooks/subscriptions/${webhook.id}`);
  await removeEndedWebhooks(orm.em.fork());
  assert.deepEqual(await left(), []);
});

/** Events as the triggers write them. */
async function addEvents(tenantId: string, subscriptionId: string, many: number): Promise<void> {
  await orm.em.fork().execute(
    `with events as (
       insert into webhook_events (id, tenant_id, type, data, created_at)
       select gen_random_uuid(), ?::uuid, 'file.completed', '{}'::jsonb, now() from generate_series(1, ?) returning id)
     insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, status, created_at)
     select gen_random_uuid(), ?::uuid, ?::uuid, id, 'pending', now() from events`,
    [tenantId, many, tenantId, subscriptionId],
  );
}
