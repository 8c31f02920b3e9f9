import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { waitForExtraction } from '../../../services/structured-extraction/find-extraction.ts';
import { requestExtraction } from '../../../services/structured-extraction/request-extraction.ts';
import { createEngine, EngineUnavailable } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { sharedRun } from '../../support/api.ts';
import { invoiceDocument } from '../../support/invoices.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { ownerOf } from '../../support/principals.ts';

const config = readConfig([databaseConfig, s3Config, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
after(async () => {
  await engine.close();
  await orm.close(true);
});

test('whoever waits for an extraction starts it again, if the engine was away', async () => {
  const { tenantId, client } = await createOwnTenant(orm, sharedRun());
  const fileId = await client.ingest({ bytes: invoiceDocument, filename: 'invoice.md' });
  await client.settled(fileId);
  const em = orm.em.fork();
  const away = { ...engine, within: () => Promise.reject(new EngineUnavailable('away')) };
  const extraction = await requestExtraction(
    { em, objects: createS3ObjectStore(config), engine: away },
    ownerOf(tenantId),
    {
      id: randomUUID(),
      content: { kind: 'file', fileId },
      schema: {
        schema: { type: 'object', properties: { invoice_no: { type: 'string' } } },
        promptHint: null,
      },
      prompt: null,
      level: 'quick',
      citations: false,
      timeoutMs: 60_000,
    },
  );
  assert.ok(extraction.engineDueAt);

  // The sweep looks for such rows only later.
  const waiting = { milliseconds: 15_000, signal: AbortSignal.timeout(15_000) };
  await waitForExtraction({ em, engine }, extraction, waiting);
  assert.equal(extraction.status, 'completed');
  assert.equal(extraction.engineDueAt, null);
});
