import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { originalPrefix } from '../../../domain/object-keys.ts';
import { eventually } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { articleHtml } from '../../support/web-pages.ts';
import { startWebSite } from '../../support/web-site.ts';
import { own } from './stack.ts';

/** Links whose worker is killed during the crawl. */
const { stack, orm, objects } = own;
const { client, tenantId } = await own.newTenant();
const site = await startWebSite('127.0.0.1');
after(() => site.stop());

test('a worker killed during a crawl only costs time: the page is fetched once more, and paid once', async () => {
  const html = articleHtml({ title: 'Lamps', words: 'xylograph' });
  const pdf = minimalPdf(['A paper behind a link']);
  const asked = { page: 0, paper: 0 };
  site.serve('/page', (response) => {
    asked.page += 1;
    response.writeHead(200, { 'content-type': 'text/html' });
    if (asked.page === 1) response.write(html.slice(0, 100));
    else response.end(html);
  });
  site.serve('/paper.pdf', (response) => {
    asked.paper += 1;
    if (asked.paper === 1) response.writeHead(200).write(pdf.subarray(0, 50));
    else response.end(pdf);
  });
  const add = async (path: string): Promise<string> =>
    (await client.post('/files/links', { url: site.url(path) })).body.file_id;
  const [page, paper] = [await add('/page'), await add('/paper.pdf')];
  await eventually(async () => assert.deepEqual(asked, { page: 1, paper: 1 }));
  await stack.kill('worker');
  assert.equal((await client.get(`/files/${page}`)).body.primary_status, 'processing');
  await stack.start('worker');

  const file = await client.settled(page, 90);
  assert.deepEqual([file.primary_status, file.title], ['completed', 'Lamps'], file.explanation);
  assert.deepEqual(await storedFacts(orm.em.fork(), page), { ...NO_DUPLICATES, variants: 0 });
  const document = await eventually(async () => {
    const settled = await client.settled(paper, 90);
    assert.equal(settled.media_type, 'document');
    return settled;
  }, 120);
  assert.equal(document.primary_status, 'completed', document.explanation);
  for (const id of [page, paper]) {
    const { objectKey } = await orm.em.fork().findOneOrFail(StoredFile, id);
    const stored = [];
    for await (const { key } of objects.list(originalPrefix({ tenantId }, id))) stored.push(key);
    assert.ok(stored.includes(objectKey));
  }
});
