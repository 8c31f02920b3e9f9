import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { sharedRun } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { removeSeeded, seedDescriptions } from '../../support/seed-descriptions.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

test('a file with many retries shows its newest runs and descriptions, and those that its status comes from', async () => {
  const { tenantId, client } = await createOwnTenant(orm, sharedRun());
  await seedDescriptions(orm, tenantId, 1);
  try {
    const em = orm.em.fork();
    const [file] = (await client.get('/files')).body.items;
    await em.execute(
      `update files set generation = 400, components = '{
         "variant": {"status": "completed", "endedAt": "2026-01-01T00:00:07.500Z"},
         "description": {"status": "completed", "endedAt": "2026-01-01T00:07:00.000Z"}}' where id = ?`,
      [file.id],
    );
    await em.execute(
      `insert into file_timelines (file_id, generation, run)
       select ?, n, json_build_object('generation', n, 'runId', gen_random_uuid(), 'outcome', 'completed', 'steps', '[]'::json,
         'startedAt', to_char('2026-01-01'::timestamp + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'endedAt', to_char('2026-01-01'::timestamp + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       from generate_series(1, 400) as n`,
      [file.id],
    );
    await em.execute(
      `insert into file_descriptions (file_id, generation, provider, model, prompt_version, description, tags, input_tokens,
         output_tokens, created_at)
       select ?, n, 'local', 'test', 'none', 'Description ' || n, '{}', 0, 0, now() from generate_series(2, 400) as n`,
      [file.id],
    );
    const { status, body } = await client.get(`/files/${file.id}/timeline`);
    assert.equal(status, 200, JSON.stringify(body));
    const generations = body.runs.map(({ generation }: { generation: number }) => generation);
    assert.deepEqual(generations, [7, ...Array.from({ length: 100 }, (_, at) => 301 + at)]);
    assert.equal((await client.get(`/files/${file.id}/processing-status`)).status, 200);
    const { full_descriptions: described } = (await client.get(`/files/${file.id}`)).body;
    assert.equal(described.length, 100);
    assert.deepEqual(
      [described[0].description, described[99].description],
      ['Description 301', 'Description 400'],
    );
  } finally {
    await removeSeeded(orm, tenantId);
  }
});
