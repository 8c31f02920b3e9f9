import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { uniqueImage } from '../support/images.ts';

/** Texts of one tenant that are expensive to match, which must not affect other tenants. */
const run = sharedRun();
const attacker = createClient(run, run.tenants.starter.api_key);
const other = createClient(run, run.tenants.enterprise.api_key);

const TOTAL: Json = { type: 'object', properties: { total: { type: 'number' }, name: { type: 'string' } } };
const spaces = (count: number) => ' '.repeat(count);

async function digitized(filename: string, text: string): Promise<Json> {
  const id = await attacker.ingest({ bytes: Buffer.from(`${text}\n\n${randomUUID()}\n`), filename });
  return attacker.settled(id, 180);
}

/** Processes an image of another tenant while the work of the attacker is in progress. */
async function beside<T>(work: Promise<T>): Promise<T> {
  const id = await other.ingest({ bytes: await uniqueImage(), filename: 'harbour.jpg' });
  const { primary_status: status } = await other.settled(id, 120);
  assert.equal(status, 'completed');
  return work;
}

const EXTRACTED: [name: string, filename: string, text: string, citations: boolean][] = [
  [
    'an amount in brackets with 3,000 spaces',
    'brackets.md',
    `Total: 7\n\n\`\`\`\na | (${spaces(3000)}x | 7\n\`\`\``,
    true,
  ],
  ['a label with 18,000 spaces', 'label.md', `Total: 5\n\n\`\`\`\nsum${spaces(18_000)}x\n\`\`\``, false],
];
for (const [name, filename, text, citations] of EXTRACTED) {
  test(`${name} is answered`, async () => {
    const file = await digitized(filename, text);
    assert.equal(file.primary_status, 'completed', JSON.stringify(file));
    const { status, body } = await beside(
      attacker.post('/extract', { file_id: file.id, schema: TOTAL, citations }),
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(typeof body.extracted_data.total, 'number');
    assert.equal(body.citations === null, !citations);
  });
}

test('95,000 spaces between two letters are read and split into chunks', async () => {
  const file = await beside(digitized('gap.txt', `a${spaces(95_000)}b`));
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  const { status, body } = await attacker.get(`/files/${file.id}/chunks`);
  assert.equal(status, 200);
  const chunks: Json[] = body.items ?? body.chunks;
  assert.ok(
    chunks.some(({ content }) => String(content).startsWith('a')),
    JSON.stringify(body).slice(0, 500),
  );
});
