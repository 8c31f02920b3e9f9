import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { createClient, eventually, type Client } from '../support/api.ts';
import { fetchedModels } from '../support/models.ts';
import { writeSentenceModel } from '../support/sentence-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'text-models-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** On a busy machine, the first search waits for the threads of models to start. */
const env = { ...process.env, SEARCH_TIMEOUT_MS: '20000' };

/** Writes a model to which these words mean the same. Returns the setting that names it. */
function modelOf(name: string, ...words: string[]): { TEXT_EMBEDDING: string } {
  writeSentenceModel(join(folder, name), { meanings: [words, ['shed']] });
  return { TEXT_EMBEDDING: `local:${join(folder, name)}` };
}

/** Documents that mean the query; none shares a word with it. */
async function meant(client: Client, query: string): Promise<{ ids: string[]; rankedBy: string }> {
  const { status, body } = await client.post('/files/search', { query, similarity_threshold: 0.7 });
  assert.equal(status, 200, JSON.stringify(body));
  return {
    ids: body.items.map((item: { document_id: string }) => item.document_id),
    rankedBy: body.ranked_by,
  };
}

async function ingested(client: Client, name: string): Promise<string> {
  const bytes = Buffer.from(`# Anchor\n\nAnchor anchor anchor anchor: ${name}.\n`);
  const id = await client.ingest({ bytes, filename: `${name}.md` });
  const file = await client.settled(id, 120);
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  return id;
}

test('after a change of the model, its former vectors answer searches until the new ones are complete', async (t) => {
  const former = modelOf('former', 'anchor', 'kedge');
  const next = modelOf('next', 'anchor', 'grapnel');
  // The API has the new settings, the worker has not.
  const stack = await startDisposableStack(env, { appEnv: { api: next, worker: former } });
  try {
    const client = createClient(stack.runInfo);
    const id = await ingested(client, 'first');
    await eventually(async () => assert.deepEqual((await meant(client, 'kedge')).ids, [id]));
    assert.deepEqual((await meant(client, 'grapnel')).ids, []);

    await t.test('without the former model, by words, and the answer says so', async () => {
      await stack.kill('worker');
      rmSync(join(folder, 'former'), { recursive: true });
      await stack.restart('api');
      const { status, body } = await client.post('/files/search', { query: 'anchor' });
      assert.equal(status, 200);
      assert.equal(body.ranked_by, 'words');
      assert.equal(body.items[0].document_id, id);
    });

    await stack.restart('worker', next);
    await eventually(async () => assert.deepEqual((await meant(client, 'grapnel')).ids, [id]), 120);
    assert.equal((await meant(client, 'grapnel')).rankedBy, 'meaning_and_words');
    assert.deepEqual((await meant(client, 'kedge')).ids, []);

    // As if the former worker had ended some time ago: until then, it may still write.
    const orm = createOrm(databaseConfig.parse(stack.env));
    await orm.em
      .execute(`update vector_collections set seen_at = now() - interval '1 hour' where serving_since is distinct
      from (select max(serving_since) from vector_collections where index_name = 'chunks') and index_name = 'chunks'`);
    await orm.close(true);
    // A worker looks for collections to remove when it starts, and then every five minutes.
    await stack.restart('worker');
    const index = stack.env['LANCEDB_PATH'];
    if (index !== undefined) {
      await eventually(async () => {
        const chunks = readdirSync(index).filter((name) => name.startsWith('chunk-'));
        assert.ok(chunks.length === 1 && chunks[0]?.startsWith('chunk-next-'), chunks.join(', '));
      }, 120);
    }
  } finally {
    await stack.stop({ keepData: false });
  }
});

const PRICES = `Article,Weight,Price
Garden pump,12 kg,149.00
Hose,3 kg,39.50
Barrow,14 kg,89.00
`;

test('models that arrive while the service runs embed its documents again, and no search notices', async (context) => {
  const all = await fetchedModels();
  if (all === undefined) return context.skip('the models cannot be fetched here');
  const kept = join(folder, 'service');
  mkdirSync(kept);
  const stack = await startDisposableStack({ ...env, MODELS_DIR: kept });
  try {
    const client = createClient(stack.runInfo);
    const csv = await client.ingest({ bytes: Buffer.from(PRICES), filename: 'prices.csv' });
    const manual = await client.ingest({
      bytes: Buffer.from('# Pump\n\nThe filter has to be cleaned once a month.\n'),
      filename: 'pump.md',
    });
    for (const id of [csv, manual]) await client.settled(id, 120);
    const search = async () => {
      const query = 'How often is the filter cleaned?';
      const { status, body } = await client.post('/files/search', { query, rerank: true });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.ranked_by, 'meaning_and_words');
      assert.equal(body.items[0].document_id, manual);
      return body;
    };
    const price = async () => {
      const { body } = await client.post('/files/ask', { question: 'What is the price of the barrow?' });
      assert.equal(body.answered, true, JSON.stringify(body));
      assert.equal(body.sentences[0].text, '| Barrow | 14 kg | 89.00 |');
      return body.model;
    };
    assert.equal((await search()).reranked, false);
    assert.equal(await price(), 'best-sentences-v2');

    const orm = createOrm(databaseConfig.parse(stack.env));
    const collections = async () => {
      const rows = await orm.em.execute<{ collection: string }[]>(
        'select distinct collection from document_chunks',
      );
      return rows.map(({ collection }) => collection);
    };
    assert.deepEqual(await collections(), ['chunk-use-lite-en-v1-512']);
    for (const name of readdirSync(all)) symlinkSync(join(all, name), join(kept, name));
    await eventually(async () => {
      assert.equal((await search()).reranked, true);
      assert.deepEqual(await collections(), ['chunk-minilm-l6-use-multilingual-v1-1408']);
    }, 180);
    await orm.close(true);

    // The API notices which vectors serve; before, it compares none of the new ones.
    await eventually(async () => {
      const query = 'Muss die Pumpe jeden Monat gereinigt werden?';
      const { body } = await client.post('/files/search', { query, similarity_threshold: 0.5 });
      assert.equal(body.items[0]?.document_id, manual, JSON.stringify(body));
    }, 120);
    assert.equal(await price(), 'passage-ranking-v1');
    const { body } = await client.post('/files/ask', { question: 'When was the barrow sold?' });
    assert.equal(body.answered, false, JSON.stringify(body));
  } finally {
    await stack.stop({ keepData: false });
  }
});
