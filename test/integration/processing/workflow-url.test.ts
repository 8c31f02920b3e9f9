import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { createWorkflowUrl } from '../../../temporal/workflow-url.ts';
import { createClient, sharedRun } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { removeSeeded, seedDescriptions } from '../../support/seed-descriptions.ts';

const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

test('administrators get a link to the workflow of a file, and others do not', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  await seedDescriptions(orm, tenantId, 1);
  const clientOf = async (role: 'viewer' | 'editor') => {
    const { id, key, hash } = generateApiKey();
    await orm.em
      .fork()
      .insert(ApiKey, { id, tenantId, name: role, keyHash: hash, role, createdAt: new Date() });
    return createClient(run, key);
  };
  try {
    const [file] = (await client.get('/files')).body.items;
    const path = `/files/${file.id}/timeline`;
    const { workflow_id, workflow_url } = (await client.get(path)).body;
    assert.equal(
      workflow_url,
      `${run.temporal_ui_url}/namespaces/${run.temporal_namespace}/workflows/${encodeURIComponent(workflow_id)}`,
    );
    for (const role of ['viewer', 'editor'] as const) {
      const { status, body } = await (await clientOf(role)).get(path);
      assert.deepEqual({ status, url: body.workflow_url }, { status: 200, url: null });
    }
  } finally {
    await removeSeeded(orm, tenantId);
  }
});

test('the address of the Temporal UI may have a path', () => {
  const url = createWorkflowUrl({
    TEMPORAL_UI_URL: 'https://ops.example.com/ui/',
    TEMPORAL_NAMESPACE: 'media',
  });
  assert.equal(url('file/1'), 'https://ops.example.com/ui/namespaces/media/workflows/file%2F1');
  assert.equal(createWorkflowUrl({ TEMPORAL_NAMESPACE: 'media' })('file/1'), null);
});
