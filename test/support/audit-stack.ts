import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LOCAL_IMAGE_MODEL } from '../../adapters/models/image-embedding/local-embedding.ts';
import { LOCAL_TEXT_MODEL } from '../../adapters/models/text-embedding/local-text-embedding.ts';
import { vectorConfig } from '../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../adapters/vector-index/create-vector-index.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { INVARIANTS } from '../../services/audit/index.ts';
import { chunkCollection } from '../../services/documents/index-chunks.ts';
import { imageCollection } from '../../services/images/served-images.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun } from '../../temporal/status/fetch-history.ts';
import { createClient, eventually } from './api.ts';
import { collect } from './collect.ts';
import type { OwnStack } from './own-stack.ts';

/** Adds the tests that follow all faults on a stack: statuses equal histories, and every invariant holds. */
export function auditStack({ stack, orm, engine, objects, acknowledged }: OwnStack): {
  /** Returns the breaches of an invariant. */
  audited: (id: string) => Promise<string[]>;
  vectors: VectorIndex;
} {
  const vectors = createVectorIndex(
    readConfig([vectorConfig], stack.env),
    imageCollection(LOCAL_IMAGE_MODEL),
  );
  const chunkVectors = createVectorIndex(
    readConfig([vectorConfig], stack.env),
    chunkCollection(LOCAL_TEXT_MODEL),
  );
  after(() => Promise.all([vectors.close(), chunkVectors.close()]));
  const anyone = createClient(stack.runInfo);

  test('status equals history for every file that these faults touched', async () => {
    for (const [id, { client }] of acknowledged) {
      const run = await describeRun(engine, id, 5000);
      assert.ok(run, id);
      const { components, superseded } = await fetchFoldedRun(engine, id, run.runId, 5000);
      // Files deleted by a test have no timeline in the API.
      if (superseded || (await isDeleted(id))) continue;
      const statuses = Object.fromEntries(
        Object.entries(components).map(([name, { status, error }]) => [
          name,
          { status, error: error ?? null },
        ]),
      );
      assert.deepEqual((await client.get(`/files/${id}/timeline`)).body.components, statuses, id);
    }
  });

  const isDeleted = async (id: string): Promise<boolean> => {
    const file = await orm.em.fork().findOne(StoredFile, { id });
    return file?.deletedAt != null;
  };
  const audited = async (id: string): Promise<string[]> => {
    const invariant = INVARIANTS.find((known) => known.id === id);
    assert.ok(invariant, id);
    const known = [...acknowledged].map(([fileId, { sha256 }]) => ({ fileId, sha256 }));
    const metrics = async () => (await anyone.get(`${anyone.origin}/metrics`)).body as string;
    const deps = {
      em: () => orm.em.fork(),
      engine,
      objects,
      vectors,
      imageModel: LOCAL_IMAGE_MODEL.model,
      chunkVectors,
      acknowledged: known,
      metrics,
    };
    return collect(invariant.check(deps));
  };
  for (const { id, title } of INVARIANTS) {
    test(`after all these faults ${title}`, () =>
      // Recent uploads may still be in progress.
      eventually(async () => assert.deepEqual(await audited(id), [])));
  }
  return { audited, vectors };
}
