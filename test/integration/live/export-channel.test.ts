import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { openExportChannel } from '../../../api/live/resource-channel.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DataExport } from '../../../db/entities/exports/export.ts';
import { HISTORY_FIELDS } from '../../../domain/exports/history.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createExport } from '../../../services/exports/create-export.ts';
import { beginRun, changeRun, completeRun } from '../../../services/exports/export-run.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { sharedRun } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { EXPORT_WORKFLOWS } from '../../../temporal/contract/export-data.ts';

const config = readConfig([databaseConfig, s3Config, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
after(async () => {
  await engine.close();
  await orm.close(true);
});

test('another attempt to write an export increases its version, and a new time estimate alone does not', async () => {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const target = { exportId: randomUUID(), tenantId };
  const spec = {
    filter: {},
    fields: [...HISTORY_FIELDS],
    includeMetadata: false,
    includeFailed: false,
    limit: 9000,
  };
  const wanted = { kind: 'descriptions', format: 'xlsx', spec } as const;
  const caller = {
    credential: { kind: 'api_key', keyId: '00000000', scopes: null },
    ipAddress: '127.0.0.1',
  } as const;
  await createExport(orm.em.fork(), target, wanted, caller);
  // The test writes it, not a worker.
  await orm.em.fork().nativeUpdate(DataExport, { id: target.exportId }, { engineDueAt: null });
  const workflow = await engine.client.workflow.start('exportData', {
    workflowId: EXPORT_WORKFLOWS.of(target.exportId),
    taskQueue: 'nobody-works-here',
    args: [],
  });
  const deps = { orm, engine, objects: createS3ObjectStore(config) };
  const channel = await openExportChannel(deps, { tenantId, id: target.exportId, after: 0 });
  const frames = [...(await channel.poll(orm.em.fork()))];
  const attempt = async (counts: readonly number[]) => {
    const run = await beginRun(orm.em.fork(), target);
    frames.push(...(await channel.poll(orm.em.fork())));
    for (const recordCount of counts) {
      await changeRun(run, (row) => void Object.assign(row, { recordCount, expectedCount: 9000 }));
      frames.push(...(await channel.poll(orm.em.fork())));
      assert.deepEqual(await channel.poll(orm.em.fork()), [], 'only its estimate has changed');
    }
    return run;
  };
  await attempt([1000, 5002]);
  const run = await attempt([1000, 8000]);
  await completeRun(run, 9000, { file: false });
  frames.push(...(await channel.poll(orm.em.fork())));
  await workflow.terminate();

  const types = frames.map(({ type }) => type);
  assert.deepEqual(types, ['snapshot', ...Array(6).fill('export.status'), 'export.terminal']);
  const seqs = frames.map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    [...new Set(seqs)].toSorted((a, b) => a - b),
  );
});
