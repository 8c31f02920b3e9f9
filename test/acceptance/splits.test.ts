import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { manual, minimalPdf } from '../support/documents.ts';

/** A PDF of several documents becomes files that belong to it. */
const client = createClient(sharedRun());
const unique = (name: string) => `${name}${randomUUID().slice(0, 8)}`;

async function uploadPdf(pages: readonly string[], fields: Record<string, string> = {}): Promise<string> {
  const { body } = await client.upload({ bytes: minimalPdf(pages), filename: 'post.pdf', fields });
  await client.settled(body.file_id, 120);
  return body.file_id;
}

async function ended(split: Json): Promise<Json> {
  return eventually(async () => {
    const { body } = await client.get(`/splits/${split.split_id}`);
    assert.notEqual(body.status, 'processing', JSON.stringify(body));
    return body;
  }, 60);
}

const split = async (id: string, body: object = {}): Promise<Json> => {
  const answer = await client.post(`/files/${id}/splits`, body);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return ended(answer.body);
};
const pagesOf = ({ parts }: Json): string[] => parts.map(({ pages }: Json) => pages);
const partsOf = async (id: string): Promise<Json[]> =>
  (await client.get(`/files?parent_file_id=${id}`)).body.items;

test('a PDF is divided by ranges into files with their text, once, and what was deleted is divided again', async () => {
  const word = unique('harbour');
  const { body: folder } = await client.post('/folders', { name: unique('post') });
  const pages = Array.from({ length: 6 }, (_, at) => `Sheet ${at + 1} of the ${word} archive`);
  const id = await uploadPdf(pages, { folder_id: folder.id, tags: 'mill' });
  const done = await split(id, { ranges: ['5-', '1-2'] });
  assert.deepEqual(
    [done.status, done.by_rules, done.stored_parts, pagesOf(done)],
    ['completed', false, 2, ['1-2', '5-6']],
  );
  const files = await Promise.all(done.parts.map(({ file_id: part }: Json) => client.settled(part, 120)));
  assert.deepEqual(
    files.map((file) => [
      file.filename,
      file.parent_file_id,
      file.parent_pages,
      file.folder_id,
      file.page_count,
    ]),
    [
      ['post (1-2).pdf', id, '1-2', folder.id, 2],
      ['post (5-6).pdf', id, '5-6', folder.id, 2],
    ],
  );
  assert.ok(files[0].tags.includes('mill'));
  assert.match(files[1].extracted_text, new RegExp(`Sheet 5 of the ${word} archive[^]*Sheet 6`));
  assert.doesNotMatch(files[1].extracted_text, /Sheet [1-4]/);

  const again = await split(id, { ranges: ['1-2', '3', '5-6'] });
  assert.deepEqual(
    [again.parts[0].file_id, again.parts[2].file_id],
    done.parts.map(({ file_id: part }: Json) => part),
  );
  assert.deepEqual((await partsOf(id)).map((part) => part.parent_pages).toSorted(), ['1-2', '3', '5-6']);
  await client.request('DELETE', `/files/${done.parts[0].file_id}`);
  assert.equal((await client.get(`/splits/${done.split_id}`)).body.parts[0].file_id, null);
  const third = await split(id, { ranges: ['1-2'] });
  assert.notEqual(third.parts[0].file_id, done.parts[0].file_id);
  assert.equal((await partsOf(id)).length, 3);
  const list = await client.get(`/files/${id}/splits?limit=2`);
  assert.deepEqual(
    [list.body.total_count, list.body.items.map((item: Json) => item.split_id)],
    [3, [third.split_id, again.split_id]],
  );

  // One at a time, and the cancelled one stays cancelled.
  const both = await Promise.all(
    [
      ['2', '3'],
      ['4', '5'],
    ].map((ranges) => client.post(`/files/${id}/splits`, { ranges })),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [202, 409]);
  const open = both.find(({ status }) => status === 202)?.body;
  const cancelled = await client.post(`/splits/${open.split_id}/cancel`, {});
  assert.equal(cancelled.status, 200);
  assert.match((await ended(open)).status, /^(?:cancelled|completed)$/);
});

test('rules propose the documents in a PDF, and divide it', async () => {
  const pages = ['Page 1 of 2', 'Page 2 of 2', 'Page 1 of 1', 'Page 1 of 3', 'Page 2 of 3', 'Page 3 of 3'];
  const id = await uploadPdf(pages);
  const proposed = await split(id, { dry_run: true });
  assert.deepEqual(
    [proposed.status, pagesOf(proposed)],
    ['completed', ['1-2', '3', '4-6']],
    JSON.stringify(proposed),
  );
  assert.deepEqual(proposed.parts[1].reasons, ['page_numbers']);
  assert.ok(proposed.parts[1].confidence > 0.9 && proposed.parts[1].file_id === null);
  assert.equal((await partsOf(id)).length, 0);
  const done = await split(id);
  assert.deepEqual([done.status, done.stored_parts, pagesOf(done)], ['completed', 3, pagesOf(proposed)]);

  const sheets = await uploadPdf([...pages.slice(0, 2), 'DOCUMENT SEPARATOR', ...pages.slice(2)]);
  const dropped = await split(sheets, { dry_run: true });
  assert.deepEqual(
    [pagesOf(dropped), dropped.left_out],
    [['1-2', '4', '5-7'], [{ page: 3, reason: 'separator_page' }]],
  );
  const kept = await split(sheets, { dry_run: true, keep_separators: true });
  assert.deepEqual([pagesOf(kept), kept.left_out, kept.keep_separators], [['1-2', '3-4', '5-7'], [], true]);

  const whole = await uploadPdf(['The first page of a book', 'and its second page']);
  assert.deepEqual(pagesOf(await split(whole)), ['1-2']);
  assert.equal((await partsOf(whole)).length, 0);
});

test('a part that is deleted for good during the division is not made again, and the others outlive the document', async () => {
  const count = 25;
  const pages = Array.from({ length: count }, (_, at) => `Sheet ${at + 1} of ${unique('quay')}`);
  const id = await uploadPdf(pages);
  const { body: begun } = await client.post(`/files/${id}/splits`, {
    ranges: pages.map((_, at) => String(at + 1)),
  });
  const first = await eventually(async () => {
    const { body } = await client.get(`/splits/${begun.split_id}`);
    assert.ok(body.parts[0].file_id);
    return body.parts[0].file_id as string;
  }, 60);
  await eventually(async () => assert.equal((await client.delete(`/files/${first}`)).status, 200), 60);
  const done = await ended(begun);
  assert.deepEqual([done.status, done.stored_parts, done.parts[0].file_id], ['completed', count - 1, null]);
  const last = done.parts.at(-1).file_id;
  await client.settled(last, 120);
  await eventually(async () => assert.equal((await client.delete(`/files/${id}`)).status, 200), 60);
  assert.equal((await client.get(`/files/${last}`)).status, 200);
  assert.equal((await client.get(`/splits/${done.split_id}`)).status, 200);
});

test('what cannot be divided is refused with the reason', async () => {
  const id = await uploadPdf(['One', 'Two', 'Three']);
  const refused = async (ranges: unknown, reason: RegExp) => {
    const { status, body } = await client.post(`/files/${id}/splits`, { ranges });
    assert.equal(status, 422, JSON.stringify(body));
    assert.match(body.detail, reason);
  };
  await refused(['1-2', '2-3'], /page 2 is in two ranges/);
  await refused(['1', '4'], /the document has 3 pages/);
  await refused(['3-2'], /ends before it begins/);
  await refused(['1-'], /the whole document/);
  await refused([], /at least one range/);
  await refused(['0'], /must be a page/);
  await refused(['1-99999999999'], /must be a page/);
  const single = await uploadPdf(['Alone']);
  const { status, body } = await client.post(`/files/${single}/splits`, {});
  assert.deepEqual([status, body.code], [409, 'NOTHING_TO_SPLIT']);
  const { body: text } = await client.upload({ bytes: manual, filename: 'manual.md' });
  const other = await client.post(`/files/${text.file_id}/splits`, {});
  assert.deepEqual([other.status, other.body.code], [400, 'WRONG_MEDIA_TYPE']);
  const damaged = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(500, 'x')]);
  const { body: broken } = await client.upload({ bytes: damaged, filename: 'broken.pdf' });
  await client.settled(broken.file_id, 120);
  const unread = await client.post(`/files/${broken.file_id}/splits`, { ranges: ['1'] });
  assert.deepEqual([unread.status, unread.body.code], [422, 'DOCUMENT_UNREADABLE']);
});
