import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { sharedRun, type Client } from '../../support/api.ts';
import {
  chaptersOfAPage,
  docxOfWords,
  invoiceOfTwoPages,
  mdOfWords,
  notesAndCopies,
  pdfOfWords,
  txtOfWords,
} from '../../support/documents-with-words.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
let client: Client;
before(async () => {
  ({ client } = await createOwnTenant(orm, sharedRun()));
});

async function ingested(bytes: Buffer, type: string): Promise<string> {
  const id = await client.ingest({ bytes, filename: `${randomUUID()}.${type}` });
  const { primary_status, ...file } = await client.settled(id);
  assert.equal(primary_status, 'completed', JSON.stringify(file));
  return id;
}

async function isListed(id: string, search: string): Promise<boolean> {
  const { status, body } = await client.get(
    `/files?limit=50&media_types=document&search=${encodeURIComponent(search)}`,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body.items.some((file: { id: string }) => file.id === id);
}

async function found(id: string, query: string): Promise<string> {
  const { status, body } = await client.post('/files/search', { query, document_ids: [id], limit: 5 });
  assert.equal(status, 200, JSON.stringify(body));
  return body.items.map(({ content }: { content: string }) => content).join('\n');
}

const textOf = async (id: string): Promise<string> => (await client.get(`/files/${id}/text`)).body.text;
const number = (): string => String(randomInt(100_000, 999_999));

test('a number in the header of both pages of an invoice is in its text and a chunk, and is found', async () => {
  const invoice = number();
  const id = await ingested(await invoiceOfTwoPages(invoice), 'pdf');
  assert.equal((await textOf(id)).split(`Invoice ${invoice}`).length - 1, 2);
  const { body } = await client.get(`/files/${id}/chunks`);
  assert.ok(body.chunks.some(({ content }: { content: string }) => content.includes(invoice)));
  assert.ok(await isListed(id, invoice));
  assert.match(await found(id, invoice), new RegExp(invoice));
});

test('a delivery note and its copies keep their text, and lines repeated on four pages are marked', async () => {
  for (const count of [2, 4]) {
    const note = number();
    const id = await ingested(await notesAndCopies(note, count), 'pdf');
    assert.equal((await textOf(id)).split(note).length - 1, count);
    assert.ok(await isListed(id, note));
    assert.match(await found(id, note), new RegExp(note));
    const { body } = await client.get(`/files/${id}/digitization/pages/${count}`);
    const header = body.elements.find(({ content }: { content: string }) => content.includes(note));
    assert.equal(header.metadata.role, count === 4 ? 'page_header' : undefined);
  }
});

test('chapters of one page each are found', async () => {
  const id = await ingested(await chaptersOfAPage(5, number()), 'pdf');
  for (const chapter of ['Chapter 1', 'Chapter 3', 'Chapter 5']) {
    assert.ok((await textOf(id)).includes(chapter));
    assert.ok(await isListed(id, `"${chapter}"`));
    assert.match(await found(id, chapter), new RegExp(chapter));
  }
});

test('the file list finds a document by each of its words', async () => {
  const documents = [pdfOfWords, docxOfWords, txtOfWords, mdOfWords].flatMap((kind) =>
    fc.sample(kind, { numRuns: 2, seed: 22 }),
  );
  const ids = await Promise.all(documents.map(async ({ bytes, type }) => ingested(await bytes(), type)));
  const missed: string[] = [];
  for (const [at, { words, type }] of documents.entries()) {
    const id = ids[at] ?? '';
    const distinct = [...new Set(words)];
    while (distinct.length > 0) {
      const some = distinct.splice(0, 8);
      if (await isListed(id, some.join(' '))) continue;
      for (const word of some) if (!(await isListed(id, word))) missed.push(`${word} of a ${type}`);
    }
  }
  assert.deepEqual(missed, []);
});
