import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { LiveFollower } from '../../../db/entities/shared/live-follower.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../../db/entities/structured-extraction/schema-extraction.ts';
import { DataExport } from '../../../db/entities/exports/export.ts';
import { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { HISTORY_FIELDS } from '../../../domain/exports/history.ts';
import { OPEN_STATUSES } from '../../../domain/primary-status.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createExport } from '../../../services/exports/create-export.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { readEvents, type ServerSentEvent } from '../../support/event-stream.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { receiptImage } from '../../support/invoices.ts';
import { connectLive, type LiveClient } from '../../support/live-client.ts';
import { createOwnTenant, type OwnTenant } from '../../support/own-tenant.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** The live channels of single resources, on a replica of the API that receives no other requests. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
let replica: Replica;
let own: OwnTenant;
let headers: Record<string, string>;

before(async () => {
  [replica, own] = await Promise.all([startReplica(), createOwnTenant(orm, run)]);
  headers = { 'X-API-Key': own.apiKey };
});
after(async () => {
  // A failed test may leave sockets open, which would keep this process alive.
  for (const { socket } of connected) socket.terminate();
  await replica?.stop();
  await orm.close(true);
});

const connected: LiveClient[] = [];
async function connect(...to: Parameters<typeof connectLive>): Promise<LiveClient> {
  const live = await connectLive(...to);
  connected.push(live);
  return live;
}

const listen = (path: string, lastEventId?: string) =>
  readEvents(`${replica.url}${path}/events`, {
    ...headers,
    ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
  });

async function allOf(events: ReturnType<typeof listen>): Promise<ServerSentEvent[]> {
  const all: ServerSentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Asserts that events run from the snapshot to the end, with versions that never decrease. */
function assertWhole(kind: string, id: string, events: readonly ServerSentEvent[]): void {
  const types = events.map(({ event }) => event);
  assert.deepEqual([types[0], types.at(-1)], ['snapshot', `${kind}.terminal`]);
  assert.ok(types.slice(1, -1).every((type) => type === `${kind}.status`));
  const seqs = events.map(({ data }) => data.seq as number);
  assert.deepEqual(
    seqs,
    seqs.toSorted((a, b) => a - b),
    'seq must never fall',
  );
  for (const { id: eventId, event, data } of events) {
    assert.deepEqual(Object.keys(data), ['channel', 'seq', 'type', 'timestamp', 'data']);
    assert.deepEqual([data.channel, data.type], [`${kind}.${id}`, event]);
    assert.equal(eventId?.split('.')[0], String(data.seq));
  }
}

/** A file that waits in a paused session, and a function that resumes the session. */
async function pausedFile(): Promise<{ id: string; resume: () => Promise<void> }> {
  const { body } = await own.client.batch(await images(25));
  const sessionId: string = body.session_id;
  assert.equal((await own.client.post(`/files/sessions/${sessionId}/pause`, {})).status, 200);
  // The last file is the least likely to have started.
  const [file] = await orm.em
    .fork()
    .find(
      StoredFile,
      { sessionId, primaryStatus: { $in: [...OPEN_STATUSES] } },
      { orderBy: { createdAt: 'desc' }, limit: 1 },
    );
  assert.ok(file, 'all files ended before the pause');
  const resume = async () => {
    assert.equal((await own.client.post(`/files/sessions/${sessionId}/resume`, {})).status, 200);
  };
  return { id: file.id, resume };
}

test('a file is followed from its direct upload to its end, consistent with its processing status', async () => {
  const bytes = await uniqueImage(1200, 800);
  const { body: upload } = await own.client.post('/files/direct-uploads', {
    filename: 'pier.jpg',
    content_type: 'image/jpeg',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
  });
  // Clients get the id from the response to the completion, or to the preparation of a batch.
  const { fileId: id } = await orm.em.fork().findOneOrFail(DirectUpload, upload.upload_id as string);
  const events = listen(`/files/${id}`);
  const { value: first } = await events.next();
  assert.ok(first);
  assert.deepEqual([first.event, first.data.seq, first.data.data.primary_status], ['snapshot', 0, 'pending']);

  const sent = await fetch(upload.presigned_url, { method: 'PUT', headers: upload.headers, body: bytes });
  assert.equal(sent.status, 200);
  const completed = await own.client.post(`/files/direct-uploads/${upload.upload_id}/complete`, {});
  assert.ok(completed.status < 300, JSON.stringify(completed.body));
  const all = [first, ...(await allOf(events))];
  assertWhole('file', id, all);
  const { body: polled } = await own.client.get(`/files/${id}/processing-status`);
  assert.equal(polled.primary_status, 'completed');
  assert.deepEqual(all.at(-1)?.data.data, polled);
  assert.ok(all.at(-1)?.data.seq > 2 ** 32, 'the first run comes after the upload');
});

test('the channel shows a waiting file as polling does, and each replica sends its end', async () => {
  const { id, resume } = await pausedFile();
  const [one, other] = [listen(`/files/${id}`), connect(run.api_url, headers)];
  const { value: first } = await one.next();
  const live = await other;
  live.say({ action: 'subscribe', channel: `file.${id}` });
  await live.next(({ type }) => type === 'snapshot');
  // Only the engine knows that the step waits for the end of the pause, and the number of its attempts.
  const events = first ? [first] : [];
  for (;;) {
    const { body: polled } = await own.client.get(`/files/${id}/processing-status`);
    const isShown = JSON.stringify(events.at(-1)?.data.data) === JSON.stringify(polled);
    if (isShown && polled.explanation.startsWith('The file is paused')) break;
    const { value: next } = await one.next();
    assert.ok(next, 'the channel ended before it showed the state that polling did');
    events.push(next);
  }
  await resume();
  events.push(...(await allOf(one)));
  assertWhole('file', id, events);
  const last = await live.next(({ type }) => type === 'file.terminal', 60);
  assert.deepEqual([last.seq, last.data], [events.at(-1)?.data.seq, events.at(-1)?.data.data]);
  live.socket.close();
});

test('the channel of an ended file sends a snapshot and the end, and nothing to a client that has seen it', async () => {
  const id = await own.client.ingest({ bytes: await uniqueImage(), fields: { auto_describe: 'false' } });
  await own.client.settled(id);
  const events = await allOf(listen(`/files/${id.slice(0, 8)}`));
  assert.deepEqual(
    events.map(({ event }) => event),
    ['snapshot', 'file.terminal'],
  );
  assertWhole('file', id, events);
  const [cut, whole] = events.map((event) => event.id);
  for (const seen of [cut, '1']) assert.equal((await allOf(listen(`/files/${id}`, seen))).length, 2);
  const url = `${replica.url}/files/${id}/events`;
  const again = await fetch(url, { headers: { ...headers, 'Last-Event-ID': whole ?? '' } });
  assert.equal(again.status, 204);

  const live = await connect(replica.url, headers);
  live.say({ action: 'subscribe', channel: `file.${id}`, after_seq: Number(whole) });
  assert.equal((await live.next(() => true)).type, 'file.terminal');
  live.socket.close();
});

test('the deletion of a file ends its channel', async () => {
  const { id, resume } = await pausedFile();
  const events = listen(`/files/${id}`);
  assert.equal((await events.next()).value?.event, 'snapshot');
  const live = await connect(replica.url, headers);
  live.say({ action: 'subscribe', channel: `file.${id}` });
  await live.next(({ type }) => type === 'snapshot');
  assert.equal((await own.client.delete(`/files/${id}`)).status, 200);
  assert.ok((await allOf(events)).every(({ event }) => event === 'file.status'));
  assert.equal((await live.next(({ type }) => type !== 'file.status')).type, 'not_found');
  assert.equal((await fetch(`${replica.url}/files/${id}/events`, { headers })).status, 404);
  live.socket.close();
  await resume();
});

test('an extraction is followed to its result', async () => {
  const answer = own.client.post('/extract', {
    image_base64: (await receiptImage()).toString('base64'),
    schema: { type: 'object', properties: { total: { type: 'number' } } },
    citations: true,
  });
  const { id } = await eventually(() =>
    orm.em.fork().findOneOrFail(SchemaExtraction, { tenantId: own.tenantId, source: 'base64' }),
  );
  const live = await connect(replica.url, headers);
  live.say({ action: 'subscribe', channel: `extraction.${id}` });
  const events = await allOf(listen(`/extractions/${id}`));
  assertWhole('extraction', id, events);
  assert.equal((await answer).status, 200);
  const { body: polled } = await own.client.get(`/extractions/${id}`);
  assert.deepEqual([polled.status, polled.extracted_data.total], ['completed', 13.5]);
  assert.deepEqual(events.at(-1)?.data.data, polled);
  assert.deepEqual((await live.next(({ type }) => type === 'extraction.terminal')).data, polled);
  live.socket.close();
});

test('an export is followed from its request to the URL of its file', async () => {
  const id = randomUUID();
  const spec = {
    filter: {},
    fields: [...HISTORY_FIELDS],
    includeMetadata: false,
    includeFailed: false,
    limit: 9,
  };
  const caller = {
    credential: { kind: 'api_key', keyId: '00000000', scopes: null },
    ipAddress: '127.0.0.1',
  } as const;
  await orm.em.fork().transactional(async (tx) => {
    const wanted = { kind: 'descriptions', format: 'jsonl', spec } as const;
    await createExport(tx, { exportId: id, tenantId: own.tenantId }, wanted, caller);
    // The first read starts the missing workflow.
    await tx.nativeUpdate(DataExport, { id }, { engineDueAt: null });
  });
  const events = await allOf(listen(`/data/export/${id}`));
  assertWhole('export', id, events);
  const last = events.at(-1)?.data.data;
  assert.deepEqual([last.status, last.progress.percent], ['completed', 100]);
  assert.equal((await fetch(last.download_url)).status, 200);
  const { body: polled } = await own.client.get(`/data/export/${id}`);
  assert.deepEqual({ ...last, download_url: null }, { ...polled, download_url: null });

  const again = await fetch(`${replica.url}/data/export/${id}/events`, {
    headers: { ...headers, 'Last-Event-ID': events.at(-1)?.id ?? '' },
  });
  assert.equal(again.status, 204);
});

test('resources of another tenant look absent', async () => {
  const stranger = await createOwnTenant(orm, run);
  const { body: extraction } = await own.client.post('/extract', {
    image_base64: (await receiptImage()).toString('base64'),
    schema: { type: 'object', properties: { total: { type: 'number' } } },
  });
  const { body: exported } = await own.client.post('/data/export', { format: 'csv' });
  const file = await own.client.ingest({ bytes: await uniqueImage() });
  const live = await connect(replica.url, { 'X-API-Key': stranger.apiKey });
  const foreign = { file, extraction: extraction.extraction_id, export: exported.export_id };
  const paths = { file: '/files', extraction: '/extractions', export: '/data/export' };
  for (const kind of ['file', 'extraction', 'export'] as const) {
    for (const id of [foreign[kind], randomUUID(), 'x']) {
      const { status, body } = await stranger.client.get(`${paths[kind]}/${id}/events`);
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], `${kind} ${id}`);
      live.say({ action: 'subscribe', channel: `${kind}.${id}` });
      const { type, seq, data } = await live.next(({ channel }) => channel === `${kind}.${id}`);
      assert.deepEqual([type, seq, data], ['not_found', 0, { detail: 'there is no such channel' }]);
    }
  }
  live.socket.close();
});

test('a channel has one canonical name on a connection, and an overlong id is 404', async () => {
  const { id, resume } = await pausedFile();
  const channel = `file.${id}`;
  const live = await connect(replica.url, headers);
  live.say({ action: 'subscribe', channel: channel.slice(0, 'file.'.length + 8) });
  assert.equal((await live.next(() => true)).type, 'not_found');
  live.say({ action: 'subscribe', channel: `file.${id.toUpperCase()}` });
  assert.equal((await live.next(({ type }) => type === 'snapshot')).channel, channel);
  const followers = () => orm.em.fork().find(LiveFollower, { channel });
  const [follower] = await eventually(async () => {
    const all = await followers();
    assert.equal(all.length, 1);
    return all;
  });
  for (const path of ['/extractions', '/data/export', '/files/sessions']) {
    const url = `${replica.url}${path}/${randomBytes(3000).toString('hex')}/events`;
    assert.equal((await fetch(url, { headers })).status, 404);
  }
  live.say({ action: 'subscribe', channel: `batch.${randomUUID()}` });
  await live.next(({ type }) => type === 'not_found');
  assert.deepEqual(
    (await followers()).map(({ connection }) => connection),
    [follower?.connection],
  );
  live.say({ action: 'unsubscribe', channel });
  await live.next(({ type }) => type === 'unsubscribed');
  await eventually(async () => assert.deepEqual(await followers(), []));
  live.socket.close();
  await resume();
});

test('a stopping replica ends the streams of files, which continue at another one', async () => {
  const { id, resume } = await pausedFile();
  const leaving = await startReplica();
  const events = readEvents(`${leaving.url}/files/${id}/events`, headers);
  const { value: first } = await events.next();
  assert.equal(first?.event, 'snapshot');
  const left = allOf(events);
  await leaving.stop();
  const before = await left;
  assert.ok(before.every(({ event }) => event === 'file.status'));

  await resume();
  const elsewhere = await allOf(listen(`/files/${id}`, before.at(-1)?.id ?? first.id));
  assertWhole('file', id, elsewhere);
});
