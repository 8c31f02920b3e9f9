import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { raw } from '@mikro-orm/postgresql';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { CHUNK_VECTORS } from '../../../services/documents/served-chunks.ts';
import {
  endRebuildPass,
  needsRebuild,
  recordCollection,
  sharesRebuild,
  type VectorKind,
} from '../../../services/media/vector-collections.ts';
import type { IndexName } from '../../../temporal/contract/indexes.ts';
import { planNodes } from '../../support/query-plan.ts';

/** Workers with different models, on a real Postgres; each test has an index of its own. */
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const em = () => orm.em.fork();

const HOUR = 3600;

function newIndex() {
  const name = `test-${randomUUID()}`;
  const kind: VectorKind = { indexName: name as IndexName, isElsewhere: 'false' };
  const dropped: string[] = [];
  const of = (model: string) => `${name}-${model}`;
  return {
    dropped,
    /** A worker with a model reports that it is running. */
    report: (model: string, runningSeconds: number) =>
      recordCollection(em(), kind, { collection: of(model), dimension: 2 }, { model }, runningSeconds),
    /** As if its last worker had ended long ago. */
    ended: (model: string) =>
      em().execute(`update vector_collections set seen_at = now() - interval '1 hour' where collection = ?`, [
        of(model),
      ]),
    /** As if every process had noticed by now which collection serves. */
    noticed: () =>
      em().execute(
        `update vector_collections set serving_since = serving_since - interval '1 minute' where index_name = ?`,
        [name],
      ),
    needsRebuild: (model: string) => needsRebuild(em(), kind, of(model)),
    share: (wanted: string, own: string) => sharesRebuild(em(), kind, { wanted: of(wanted), own: of(own) }),
    endPass: (model: string) =>
      endRebuildPass(
        em(),
        kind,
        of(model),
        ({ collection }) =>
          ({
            drop: async () => void dropped.push(collection.slice(name.length + 1)),
            close: async () => undefined,
          }) as VectorIndex,
      ),
    serving: async () => {
      const [row] = await em().execute<{ collection: string }[]>(
        `select collection from vector_collections where index_name = ? and serving_since is not null
         order by serving_since desc limit 1`,
        [name],
      );
      return row?.collection.slice(name.length + 1);
    },
  };
}

test('the first model serves at once and needs no rebuild', async () => {
  const index = newIndex();
  await index.report('a', 1);
  assert.equal(await index.serving(), 'a');
  assert.equal(await index.needsRebuild('a'), false);
  assert.equal(await index.endPass('a'), true);
});

test('during a deployment, the model of the worker that started last is built, and none is dropped', async () => {
  const index = newIndex();
  await index.report('a', HOUR);
  await index.report('b', 1);
  // Former workers go on reporting until they are stopped.
  await index.report('a', HOUR);
  assert.deepEqual([await index.needsRebuild('a'), await index.needsRebuild('b')], [false, true]);
  assert.equal(await index.share('b', 'b'), true);
  await assert.rejects(index.share('b', 'a'), { name: 'OtherModelNeeded' });
  // A rebuild of the former model that is still running ends without a change.
  assert.equal(await index.share('a', 'a'), false);
  assert.equal(await index.endPass('a'), true);
  assert.equal(await index.serving(), 'a');

  assert.equal(await index.endPass('b'), true);
  assert.equal(await index.serving(), 'b');
  await index.noticed();
  assert.equal(await index.endPass('b'), true);
  assert.deepEqual(index.dropped, []);
  assert.equal(await index.needsRebuild('b'), false);
});

test('former vectors are dropped when their workers have ended and all processes use the new ones', async () => {
  const index = newIndex();
  await index.report('a', HOUR);
  await index.ended('a');
  await index.report('b', 1);
  assert.equal(await index.endPass('b'), false);
  assert.equal(await index.serving(), 'b');
  assert.equal(await index.endPass('b'), false);
  assert.deepEqual(index.dropped, []);
  await index.noticed();
  assert.equal(await index.needsRebuild('b'), true);
  assert.equal(await index.endPass('b'), true);
  assert.deepEqual(index.dropped, ['a']);
  assert.equal(await index.needsRebuild('b'), false);
});

test('after a rollback, the workers that are left build their own vectors', async () => {
  const index = newIndex();
  await index.report('a', HOUR);
  await index.report('b', 1);
  await index.endPass('b');
  await index.noticed();
  await index.ended('b');
  assert.equal(await index.share('b', 'a'), false);
  assert.equal(await index.needsRebuild('a'), true);
  assert.equal(await index.endPass('a'), false);
  assert.equal(await index.serving(), 'a');
  await index.noticed();
  assert.equal(await index.endPass('a'), true);
  assert.deepEqual(index.dropped, ['b']);
});

test('whether chunks name another collection is read from the ends of an index', async () => {
  const statement = raw(`select ${CHUNK_VECTORS.isElsewhere} from (values ('chunk-a')) own (collection)`);
  const { scans } = await planNodes(orm, statement, 'document_chunks');
  assert.deepEqual([...new Set(scans)], ['Index Only Scan']);
});
