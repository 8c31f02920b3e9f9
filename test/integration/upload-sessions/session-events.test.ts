import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createClient, sharedRun, type Json } from '../../support/api.ts';
import { readEvents, type ServerSentEvent } from '../../support/event-stream.ts';
import { images } from '../../support/images.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** The live channel, on a replica of the API that receives no uploads itself. */
const run = sharedRun();
const client = createClient(run);
let replica: Replica;

before(async () => {
  replica = await startReplica();
});
after(() => replica.stop());

const headers = { Authorization: `Bearer ${run.api_key}` };
const eventsUrl = (id: string) => `${replica.url}/files/sessions/${id}/events`;

test('a replica streams a session from its snapshot to its end, consistent with polling', async () => {
  // Enough to last until the stream is open.
  const { body } = await client.batch(await images(30));
  const id = body.session_id;
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(eventsUrl(id), headers)) events.push(event);
  assert.equal(events[0]?.event, 'snapshot');
  assert.equal(events.at(-1)?.event, 'batch.terminal');
  assert.equal(events.filter(({ event }) => event === 'batch.terminal').length, 1);
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  assert.ok(events.every(({ id, data }) => id && id.split('.')[0] === String(data.seq)));
  assert.equal(events.at(-1)?.id, String(events.at(-1)?.data.seq));
  const seqs = events.map(({ data }) => data.seq);
  assert.deepEqual(
    seqs,
    seqs.toSorted((a, b) => a - b),
    'seq must never fall',
  );
  assert.ok(events.every(({ data, event }) => data.channel === `batch.${id}` && data.type === event));

  const statuses = new Map<number, string>();
  for (const { event, data } of events) {
    if (event === 'file.status') statuses.set(data.data.index, data.data.status);
  }
  assert.ok([...statuses.values()].every((status) => status === 'completed'));
  assert.ok(statuses.size > 0, 'work continued after the snapshot');
  const polled = (await client.get(`/files/sessions/${id}/status`)).body;
  assert.deepEqual(events.at(-1)?.data.data, polled);
});

test('a client that has seen the end gets only the end, and one that missed a change gets a snapshot', async () => {
  const { body } = await client.batch(await images(1), { auto_describe: 'false' });
  const id = body.session_id;
  let last: ServerSentEvent | undefined;
  for await (const event of readEvents(eventsUrl(id), headers)) last = event;
  assert.ok(last?.id);
  const again = await fetch(eventsUrl(id), { headers: { ...headers, 'Last-Event-ID': last.id } });
  assert.equal(again.status, 204);

  const missed: string[] = [];
  for await (const { event } of readEvents(eventsUrl(id), { ...headers, 'Last-Event-ID': '1' }))
    missed.push(event);
  assert.deepEqual(missed, ['snapshot', 'batch.terminal']);
  // Cut off before the last frame of the last version.
  const cut: string[] = [];
  for await (const { event } of readEvents(eventsUrl(id), { ...headers, 'Last-Event-ID': `${last.id}.1` }))
    cut.push(event);
  assert.deepEqual(cut, ['snapshot', 'batch.terminal']);
  const torn = await fetch(eventsUrl(id), { headers: { ...headers, 'Last-Event-ID': 'abc' } });
  assert.equal(torn.status, 422);
});

test('a pause requested at another replica is streamed immediately', async () => {
  const { body } = await client.batch(await images(60));
  const id = body.session_id;
  const seen: Json[] = [];
  for await (const { data } of readEvents(eventsUrl(id), headers)) {
    if (seen.length === 0) assert.equal((await client.post(`/files/sessions/${id}/pause`, {})).status, 200);
    seen.push(data);
    if (data.data.paused) break;
  }
  assert.equal(seen.at(-1).data.paused, true);
  assert.equal((await client.post(`/files/sessions/${id}/cancel`, {})).status, 200);
});

test('the channel of a foreign or unknown session is 404', async () => {
  const { body } = await client.batch(await images(1));
  const stranger = { Authorization: `Bearer ${run.tenants.starter.api_key}` };
  assert.equal((await fetch(eventsUrl(body.session_id), { headers: stranger })).status, 404);
  assert.equal((await fetch(eventsUrl(randomUUID()), { headers })).status, 404);
});
