import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';

const engine = createEngine(readConfig([temporalConfig], process.env));
after(() => engine.close());

test('every workflow filter that the runbook links to is accepted by the engine', async () => {
  const runbook = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
  const queries = Array.from(runbook.matchAll(/\/workflows\?query=([^)\s]+)\)/g), ([, query = '']) =>
    decodeURIComponent(query),
  );
  assert.ok(queries.length >= 8, `${queries.length} links`);
  for (const query of queries) {
    const { count } = await engine.client.workflow.count(query);
    assert.ok(count >= 0, query);
  }
  const maintenance = await engine.client.workflow.count(queries.at(-1));
  assert.ok(maintenance.count > 0, 'the last filter finds maintenance, which always runs');
});
