import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { outstanding, type ComponentName, type Components } from '../../../domain/components.ts';
import { applyFileEvent } from '../../../domain/file-events.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { TimelineRun } from '../../../domain/timeline.ts';
import { endFileRun } from '../../../services/processing/end-file-run.ts';
import { LAST_SEQ } from '../../../services/processing/project-file.ts';
import { retryFile } from '../../../services/processing/retry-file.ts';
import { ingestFile } from '../../../services/uploads/ingest-file.ts';
import { ownerOf } from '../../support/principals.ts';

/** What the runs of an image cost, on the database of the shared stack; the runs themselves are played. */
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const em = () => orm.em.fork();

const PAID = ['description', 'extraction'] as const;
type Paid = (typeof PAID)[number];
type Succeeds = Record<Paid, boolean>;

/** An image of a category with extractions, of a tenant of its own. */
async function image() {
  const tenantId = randomUUID();
  await em().insert(Tenant, { id: tenantId, name: 'ledger', tier: 'starter', createdAt: new Date() });
  const principal = ownerOf(tenantId, 'starter');
  const fileId = randomUUID();
  await ingestFile(em(), principal, {
    fileId,
    objectKey: fileId,
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    mediaType: 'image',
    contentType: 'image/png',
    format: 'png',
    filename: 'x.png',
    title: null,
    tags: [],
    contentCategory: 'pid',
    options: { autoDescribe: true, skipDuplicates: false },
  });
  const row = () => em().findOneOrFail(StoredFile, { id: fileId });
  return {
    /** Ends the run as if its components had succeeded or failed. */
    async end(succeeds: Succeeds): Promise<void> {
      const file = await row();
      const { mediaType, generation } = file;
      const at = new Date().toISOString();
      const reason = { code: 'X', message: 'x' };
      const components = outstanding(file).reduce<Components>(
        (all, component) =>
          component === 'variant' || succeeds[component as Paid]
            ? applyFileEvent(all, { type: 'step_completed', component, at })
            : applyFileEvent(all, { type: 'step_failed', mediaType, component, at, reason }),
        file.components,
      );
      const run: TimelineRun = {
        generation,
        runId: randomUUID(),
        startedAt: at,
        endedAt: at,
        outcome: 'completed',
        steps: [],
      };
      await endFileRun(em(), { fileId, tenantId, generation, seq: LAST_SEQ, components, mediaType }, run);
    },
    retry: async (names?: ComponentName[]) => (await retryFile(em(), principal, await row(), names)).retried,
    statusOf: async (name: Paid) => (await row()).components[name]?.status,
    async used(): Promise<number> {
      return (await em().findOne(CreditBalance, { tenantId }))?.used ?? 0;
    },
    /** Reserved and not refunded; fails where a reservation is open, or closed twice. */
    async ledger(): Promise<number> {
      const entries = await em().find(CreditEntry, { tenantId });
      const [opened, closed] = [
        entries.filter(({ closes }) => !closes),
        entries.filter(({ closes }) => closes),
      ];
      assert.deepEqual(
        closed.map(({ reservationId }) => reservationId).toSorted(),
        opened.map(({ reservationId }) => reservationId).toSorted(),
      );
      return closed.reduce((sum, { kind, amount }) => sum + (kind === 'spend' ? amount : 0), 0);
    },
  };
}

test('a description that succeeded is spent, and the extraction that failed beside it is retried without another credit', async () => {
  const file = await image();
  assert.equal(await file.used(), 1);
  await file.end({ description: true, extraction: false });
  assert.equal(await file.used(), 1);
  assert.deepEqual(await file.retry(), ['extraction']);
  await file.end({ description: true, extraction: false });
  assert.deepEqual(await file.retry(), ['extraction']);
  await file.end({ description: true, extraction: true });
  assert.equal(await file.used(), 1);

  await file.retry(['extraction']);
  assert.equal(await file.used(), 2);
  await file.end({ description: true, extraction: false });
  assert.equal(await file.used(), 1);
  assert.equal(await file.ledger(), 1);
});

test('whatever fails and is retried, reserved less refunded is what was used, and nothing is paid for twice', async () => {
  const succeeds = fc.record({ description: fc.boolean(), extraction: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(succeeds, fc.array(succeeds, { maxLength: 4 }), async (first, later) => {
      const file = await image();
      await file.end(first);
      for (const next of later) {
        const statuses = await Promise.all(PAID.map(file.statusOf));
        if (!statuses.includes('failed')) break;
        await file.retry();
        await file.end(next);
      }
      const used = await file.used();
      assert.equal(await file.ledger(), used);
      // Only what failed is retried: one credit, as soon as the description is there.
      assert.equal(used, (await file.statusOf('description')) === 'completed' ? 1 : 0);
    }),
    { numRuns: 15 },
  );
});
