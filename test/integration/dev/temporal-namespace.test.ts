import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findBinary } from '../../../dev/servers/binaries.ts';
import { planTemporal } from '../../../dev/servers/temporal.ts';
import { runProgram } from '../../../dev/processes/program.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { prepareNamespace } from '../../../temporal/prepare-namespace.ts';
import { eventually } from '../../support/api.ts';
import { freePort } from '../../support/free-port.ts';
import { workflowOptions } from '../../../temporal/contract/workflow.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'darkroom-namespace-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

test('a database of an earlier version gets the missing search attributes, which are usable immediately', async () => {
  const [grpc = 0, ui = 0, http = 0, metrics = 0] = await Promise.all([1, 2, 3, 4].map(freePort));
  const binary = await findBinary('temporal', {
    env: process.env,
    signal,
    part: async (_title, work) => await work(),
  });
  const plan = planTemporal({
    binary,
    folder,
    ports: { grpc, ui, http, metrics },
    env: process.env,
    logFile: join(folder, 'temporal.log'),
  });
  const running = async (args: readonly string[], during: () => Promise<void>) => {
    const program = await runProgram({ ...plan, args: [...args] });
    try {
      await eventually(async () => assert.ok(await plan.ready(program.pid)));
      await during();
    } finally {
      process.kill(program.pid, plan.stopSignal);
      await program.ended;
    }
  };

  // As a version without any of them.
  await running(plan.args.slice(0, plan.args.indexOf('--search-attribute')), async () => undefined);
  await running(plan.args, async () => {
    const address = `127.0.0.1:${grpc}`;
    // An existing namespace and a new one.
    for (const namespace of ['default', 'studio']) {
      const engine = createEngine({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
      const changes = await prepareNamespace(engine, signal);
      assert.match(changes.join('\n'), /added the search attributes TenantId/);
      assert.deepEqual(await prepareNamespace(engine, signal), [], 'safe to repeat');
      await startFile(engine);
      await engine.close();
    }
  });
});

async function startFile(engine: Engine): Promise<void> {
  const file = { fileId: 'f', tenantId: 't', mediaType: 'image' as const, generation: 1, components: {} };
  await engine.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, { ...file, priority: 'normal' }),
    taskQueue: 'unpolled',
  });
}
