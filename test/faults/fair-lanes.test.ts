import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { createClient, eventually, type Client, type Json } from '../support/api.ts';
import {
  replies,
  startModelServer,
  type ModelReply,
  type ModelRequest,
  type ModelServer,
} from '../support/model-server.ts';

/** Who waits behind whom, on a stack of its own: two model calls at a time, each of which ends when the test says so. */
const SLOTS = 2;
const BULK = 40;
/** Of the bulk that may be served before others, whose turn it is: what was on its way to a worker already. */
const FEW = 6;
/** Pictures are told apart at the model by their shape. */
const SHAPES = { bulk: [300, 200], own: [200, 300], other: [250, 250], otherBulk: [400, 100] } as const;
type Shape = keyof typeof SHAPES;

let stack: Stack;
let client: Client;
let other: Client;
let model: ModelServer;
/** Calls that the model has not answered, and the shapes of all, in the order in which they came. */
const held: Parameters<ModelReply>[] = [];
const served: Shape[] = [];
let holding = true;

before(async () => {
  model = await startModelServer();
  model.otherwise((response, request) => {
    if (!holding) return replies.ok()(response, request);
    void shapeOf(request).then((shape) => {
      served.push(shape);
      held.push([response, request]);
    });
  });
  const worker = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'test-key', VISION_SLOTS: `${SLOTS}` };
  stack = await startDisposableStack(process.env, { appEnv: { worker } });
  client = createClient(stack.runInfo);
  other = createClient(stack.runInfo, stack.runInfo.tenants.professional.api_key);
});

after(async () => {
  await stack?.stop({ keepData: false });
  await model?.stop();
});

async function shapeOf({ body }: ModelRequest): Promise<Shape> {
  const url = /data:[^"]+;base64,[^"]+/.exec(JSON.stringify(body))?.[0] ?? '';
  const { width, height } = await sharp(Buffer.from(url.split(',')[1] ?? '', 'base64')).metadata();
  const shapes = Object.entries(SHAPES) as [Shape, readonly [number, number]][];
  const found = shapes.find(([, [w, h]]) => Math.abs(w / h - width / height) < 0.1)?.[0];
  assert.ok(found, `a picture of ${width} x ${height}`);
  return found;
}

async function picture(shape: Shape) {
  const [width, height] = SHAPES[shape];
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#753' } })
    .withExif({ IFD0: { ImageDescription: randomUUID() } })
    .jpeg()
    .toBuffer();
  return { bytes, filename: `${shape}.jpg` };
}
const pictures = (shape: Shape, count: number) =>
  Promise.all(Array.from({ length: count }, () => picture(shape)));

/** Waits until a file waits for its turn at the model, or has it. */
const queued = (of: Client, fileId: string) =>
  eventually(async () => {
    const { body } = await of.get(`/files/${fileId}/timeline`);
    assert.match(body.explanation, /^Description (waiting for a free worker|under way)/);
  }, 90);

/** Sends a batch and waits until the files of it all wait. */
async function bulk(of: Client, shape: Shape, count: number): Promise<string> {
  const { status, body } = await of.batch(await pictures(shape, count));
  assert.deepEqual([status, body.accepted_files], [201, count]);
  const files: Json[] = (await of.get(`/files?limit=${count}`)).body.items;
  assert.equal(files.length, count);
  for (const { id } of files) await queued(of, id);
  return body.session_id as string;
}

async function single(of: Client, shape: Shape): Promise<string> {
  const id = await of.ingest(await picture(shape));
  await queued(of, id);
  return id;
}

const completed = async (of: Client, sessionId: string): Promise<number> =>
  (await of.get(`/files/sessions/${sessionId}/status`)).body.completed_files;

const timesServed = (shape: Shape): number => served.filter((each) => each === shape).length;

/** Answers one call after the other until these pictures are at the model, and then theirs. */
async function answerUntil(wanted: Partial<Record<Shape, number>>): Promise<void> {
  const shapes = Object.keys(wanted) as Shape[];
  while (!shapes.every((shape) => timesServed(shape) >= (wanted[shape] ?? 0))) {
    const [next] = held.splice(0, 1);
    if (next) replies.ok()(...next);
    await eventually(async () => assert.equal(held.length, SLOTS));
  }
  for (const call of held.splice(0)) {
    if (shapes.includes(await shapeOf(call[1]))) replies.ok()(...call);
    else held.push(call);
  }
}

test('a batch at a slow model holds back neither single uploads nor the batch of another tenant', async () => {
  const batch = await bulk(client, 'bulk', BULK);
  const otherBatch = await bulk(other, 'otherBulk', 4);
  const [own, others] = [await single(client, 'own'), await single(other, 'other')];
  assert.deepEqual(served, ['bulk', 'bulk']);

  await answerUntil({ own: 1, other: 1 });
  assert.equal((await client.settled(own)).primary_status, 'completed');
  assert.equal((await other.settled(others)).primary_status, 'completed');
  assert.ok(timesServed('bulk') <= FEW, `served: ${served.join(', ')}`);
  assert.ok((await completed(client, batch)) <= FEW);

  await answerUntil({ otherBulk: 4 });
  assert.equal((await other.sessionEnded(otherBatch)).completed_files, 4);
  assert.ok(timesServed('bulk') <= 2 * FEW, `served: ${served.join(', ')}`);
  assert.ok((await completed(client, batch)) <= 2 * FEW);

  holding = false;
  for (const call of held.splice(0)) replies.ok()(...call);
  assert.equal((await client.sessionEnded(batch)).completed_files, BULK);
});
