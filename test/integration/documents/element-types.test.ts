import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../../support/api.ts';

const client = createClient(sharedRun());
const manual =
  '# Pump\n\nRead this first.\n\n## Use\n\n| Part | Pieces |\n| --- | --- |\n| Hose | 2 |\n\nOpen a tap.\n';

test('the structure of a document can be narrowed to kinds of elements, which keep their ids', async () => {
  const id = await client.ingest({
    bytes: Buffer.from(manual),
    filename: 'pump.md',
  });
  await client.settled(id, 180);
  const read = async (query: string): Promise<Json> =>
    (await client.get(`/files/${id}/digitization${query}`)).body;
  const [page] = (await read('')).pages;
  const of = (...types: string[]) => page.elements.filter(({ type }: Json) => types.includes(type));
  const headings = await read('?element_types=heading');
  assert.equal(headings.total_pages, 1);
  assert.deepEqual(headings.pages[0].elements, of('heading'));
  assert.equal(headings.pages[0].elements.length, 2);
  assert.equal(headings.pages[0].element_count, page.elements.length);
  const two = await read('?element_types=heading&element_types=table');
  assert.deepEqual(two.pages[0].elements, of('heading', 'table'));
  assert.deepEqual((await read('?element_types=')).pages[0].elements, []);
  const unknown = await client.get(`/files/${id}/digitization?element_types=poem`);
  assert.equal(unknown.status, 422, JSON.stringify(unknown.body));
});
