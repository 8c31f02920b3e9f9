import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { createClient, eventually, type Client, type Json } from '../support/api.ts';
import { writeImagePair } from '../support/onnx-pair.ts';

const folder = mkdtempSync(join(tmpdir(), 'darkroom-image-models-'));
const pair = join(folder, 'pair');
writeImagePair(pair);
// On a busy machine, the first search waits for the threads of models to start.
const stack = await startDisposableStack({ ...process.env, SEARCH_TIMEOUT_MS: '20000' });
after(async () => {
  await stack.stop({ keepData: false });
  rmSync(folder, { recursive: true, force: true });
});

/** A picture of one colour with a mark, so that no two are equal. */
const picture = (background: string, mark: number) =>
  sharp({ create: { width: 320, height: 240, channels: 3, background } })
    .composite([
      {
        input: { create: { width: 20, height: 20, channels: 3, background: '#777' } },
        left: mark,
        top: mark,
      },
    ])
    .png()
    .toBuffer();
/** Names that say nothing of the colour. */
const upload = async (
  client: Client,
  background: string,
  mark: number,
  title = 'Picture',
): Promise<string> => {
  const bytes = await picture(background, mark);
  const id = await client.ingest({ bytes, filename: `p${mark}.png`, fields: { title } });
  await client.settled(id);
  return id;
};
const search = async (client: Client, query: string, mediaTypes = ['image']): Promise<Json> => {
  const { status, body } = await client.post('/files/search', { query, media_types: mediaTypes });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const idsOf = (list: Json[], key: string): string[] => list.map((one) => one[key] as string);

test('a model for images finds them by what they show, once the vectors of the former one are rebuilt', async () => {
  const { runInfo } = stack;
  const client = createClient(runInfo);
  const red = await upload(client, '#f01010', 10);
  const green = await upload(client, '#10f010', 20, 'Leaf');
  const crimson = await upload(client, '#e02020', 30);
  assert.equal((await search(client, 'scarlet red')).files_ranked_by, 'words');
  const similar = async () => {
    const { status, body } = await client.get(`/files/${red}/similar`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items as Json[];
  };
  assert.equal((await similar()).length, 2);

  for (const name of ['api', 'worker'] as const)
    await stack.restart(name, { IMAGE_EMBEDDING: `local:${pair}` });
  // The former vectors serve until the new ones are complete.
  assert.equal((await similar()).length, 2);
  await eventually(async () => {
    const found = await search(client, 'Show me something red');
    assert.equal(found.files_ranked_by, 'meaning_and_words');
  }, 120);
  const found = await search(client, 'Show me something red');
  assert.deepEqual(idsOf(found.files.slice(0, 2), 'file_id').toSorted(), [red, crimson].toSorted());
  assert.equal(found.files[0].found_by, 'meaning');
  assert.ok(found.files[0].similarity_score > 0.9, JSON.stringify(found.files));
  assert.equal((await search(client, 'green')).files[0].file_id, green);
  const [nearest] = await similar();
  assert.equal(nearest.image_id, crimson);
  assert.ok(nearest.vector_similarity > 0.95);

  // A new image is found at once, a deleted one and those of others never.
  const blue = await upload(client, '#1010f0', 40);
  assert.equal((await search(client, 'blue')).files[0].file_id, blue);
  const stranger = createClient(runInfo, runInfo.tenants.starter.api_key);
  assert.deepEqual((await search(stranger, 'blue')).files, []);
  assert.equal((await client.delete(`/files/${blue}`)).status, 200);
  assert.ok(!idsOf((await search(client, 'blue')).files, 'file_id').includes(blue));
  // Words still count beside the meaning, and have a similarity too.
  const [named] = (await search(client, 'green leaf')).files;
  assert.deepEqual([named.file_id, named.found_by], [green, 'meaning_and_words']);
});
