import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { Json } from '../../support/api.ts';
import { manual, minutes } from '../../support/documents.ts';
import { uniqueImage } from '../../support/images.ts';
import { own } from './stack.ts';

/**
 * One tenant sends files that are expensive to read while another works. Nothing is killed; see also `npm run
 * noisy`.
 */
const hostile = await own.newTenant();
const ordinary = await own.newTenant();
/** More than one tenant may have at work. */
const HOSTILE_FILES = 2 * (availableParallelism() + 1) + 2;

/** Takes the whole budget of a Markdown document, on a machine of any speed. */
const costly = (index: number) => Buffer.from(`Number ${index}\n\n${'*_'.repeat(40_000)}`);

test('files of a tenant complete before the hostile files of another, which all complete at their first attempt', async () => {
  const waiting: string[] = [];
  for (let index = 0; index < HOSTILE_FILES; index += 1)
    waiting.push(await hostile.client.ingest({ bytes: costly(index), filename: `costly-${index}.md` }));
  const wanted = [
    await ordinary.client.ingest({ bytes: manual, filename: 'manual.md' }),
    await ordinary.client.ingest({ bytes: minutes, filename: 'minutes.txt' }),
    await ordinary.client.ingest({ bytes: await uniqueImage() }),
  ];
  for (const id of wanted) {
    assert.equal((await ordinary.client.settled(id, 240)).primary_status, 'completed');
  }
  const files = await Promise.all(waiting.map((id) => hostile.client.get(`/files/${id}`)));
  const open = files.filter(({ body }) => ['pending', 'processing'].includes(body.primary_status));
  assert.ok(open.length > 0, 'the hostile files ended before the ordinary ones');

  for (const id of waiting) {
    assert.equal((await hostile.client.settled(id, 600)).primary_status, 'completed');
    const { runs } = await hostile.timeline(id);
    const retried = runs.flatMap(({ steps }: Json) => steps).filter(({ error }: Json) => error);
    assert.deepEqual(retried, []);
    const { body } = await hostile.client.get(`/files/${id}/digitization`);
    assert.match(body.reading_note, /^Read as plain text/);
  }
});
