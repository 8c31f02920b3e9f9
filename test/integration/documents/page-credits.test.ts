import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { reservationIdsOf } from '../../../domain/accounts/credits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { credits } from '../../../services/audit/tenants.ts';
import { sharedRun } from '../../support/api.ts';
import { collect } from '../../support/collect.ts';
import { minimalPdf } from '../../support/documents.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

const pages = (count: number) =>
  Array.from({ length: count }, (_, at) => `Chapter ${at + 1} of the travels of the ${count} brothers.`);
/** A PDF whose last page is missing. */
const incomplete = (count: number) => {
  const text = minimalPdf(pages(count)).toString('latin1');
  return Buffer.from(text.replace(`${2 + count * 2} 0 R] /Count`, '999 0 R] /Count'), 'latin1');
};

async function tenantWith(maxMonthlyCredits: number) {
  const tenant = await createOwnTenant(orm, sharedRun());
  const limit = (credits: number) =>
    orm.em.fork().nativeUpdate(Tenant, tenant.tenantId, { maxMonthlyCredits: credits });
  await limit(maxMonthlyCredits);
  const used = async () =>
    (await orm.em.fork().findOne(CreditBalance, { tenantId: tenant.tenantId }))?.used ?? 0;
  return { ...tenant, limit, used };
}

async function ledger(fileId: string, generation: number): Promise<string[]> {
  const entries = await orm.em
    .fork()
    .find(
      CreditEntry,
      { reservationId: { $in: reservationIdsOf(fileId, generation) } },
      { orderBy: { reservationId: 'asc', closes: 'asc' } },
    );
  return entries.map(({ kind, amount }) => `${kind} ${amount}`);
}

/** Asserts that the ledger of a tenant adds up, and has no open reservation for the file. */
async function assertBalanced(tenantId: string, fileId: string): Promise<void> {
  const breaches = await collect(credits.check({ em: () => orm.em.fork() }));
  assert.deepEqual(
    breaches.filter((breach) => breach.includes(tenantId) || breach.includes(fileId)),
    [],
  );
}

test('pages beyond the credits of a tenant fail with the shortfall and no charge, and are read with more credits', async () => {
  const { client, tenantId, limit, used } = await tenantWith(3);
  const id = await client.ingest({ bytes: minimalPdf(pages(12)), filename: 'travels.pdf' });
  const file = await client.settled(id);
  assert.deepEqual(
    [file.primary_status, file.text_extraction_status, file.text_extraction_error],
    ['failed', 'failed', '2 credits needed, 1 of 3 left this month (1 short)'],
  );
  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.equal(timeline.components.text_extraction.error.code, 'QUOTA_EXHAUSTED');
  assert.deepEqual([await ledger(id, 1), await used()], [['reserve 2', 'refund 2'], 0]);

  await limit(4);
  assert.equal((await client.post(`/files/${id}/retry`, {})).status, 202);
  assert.equal((await client.settled(id)).primary_status, 'completed');
  assert.deepEqual(
    [await ledger(id, 2), await used()],
    [['reserve 2', 'spend 2', 'reserve 2', 'spend 2'], 4],
  );

  const again = await client.post(`/files/${id}/retry`, { pages: [5] });
  assert.deepEqual([again.status, again.body.code], [429, 'QUOTA_EXHAUSTED']);
  assert.equal((await client.get(`/files/${id}/digitization/status`)).body.page_statuses['5'], 'completed');
  await limit(5);
  await client.post(`/files/${id}/retry`, { pages: [5] });
  await client.settled(id);
  assert.deepEqual([await ledger(id, 3), await used()], [['reserve 1', 'spend 1'], 5]);
  await assertBalanced(tenantId, id);
});

test('a text with too many pages is refused before its pages are charged', async () => {
  const { client, tenantId, used } = await tenantWith(-1);
  const id = await client.ingest({ bytes: Buffer.from('x\f'.repeat(30_000)), filename: 'breaks.txt' });
  const file = await client.settled(id);
  assert.deepEqual(
    [file.primary_status, file.page_count, file.text_extraction_error],
    ['failed', null, 'The document has 30000 pages; at most 10000 are read.'],
  );
  assert.deepEqual([await ledger(id, 1), await used()], [['reserve 2', 'refund 2'], 0]);
  await assertBalanced(tenantId, id);
});

test('a page that could not be read is retried without a charge, alone or with its session', async () => {
  const { client, tenantId, used } = await tenantWith(-1);
  const { body } = await client.batch([{ bytes: incomplete(7), filename: 'travels.pdf' }]);
  const [{ file_id: id }] = body.immediate_results;
  await client.sessionEnded(body.session_id);
  const file = await client.settled(id);
  assert.deepEqual(
    [file.primary_status, file.text_extraction_status, file.text_extraction_error],
    ['partially_completed', 'completed', 'page 7 of 7 could not be read'],
  );
  assert.deepEqual(
    [await ledger(id, 1), await used()],
    [['reserve 2', 'spend 2', 'reserve 1', 'spend 1'], 3],
  );

  await client.post(`/files/${id}/retry`, { pages: [7] });
  await client.settled(id);
  await client.post(`/files/${id}/retry`, {});
  await client.settled(id);
  const retried = await client.post(`/files/sessions/${body.session_id}/retry-failed`, {});
  assert.deepEqual([retried.status, retried.body.retried_files], [202, 1]);
  await client.sessionEnded(body.session_id);
  for (const generation of [2, 3, 4]) assert.deepEqual(await ledger(id, generation), []);
  assert.equal(await used(), 3);
  await assertBalanced(tenantId, id);
  const attempts = await orm.em.fork().find(DocumentPage, { fileId: id }, { orderBy: { pageNumber: 'asc' } });
  const [first, last] = [attempts[0]?.attempts ?? 0, attempts.at(-1)?.attempts ?? 0];
  assert.ok(last >= first + 3, `${first} and ${last}`);
});
