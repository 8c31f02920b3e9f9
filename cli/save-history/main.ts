import proto from '@temporalio/proto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';

/**
 * `npm run history:save -- WORKFLOW_ID NAME`: keeps the history of a workflow in test/replay/histories/, where the
 * replay test runs every later version of the workflow code against it. Each released workflow leaves some there.
 */
const [workflowId, name] = parseArgs({ allowPositionals: true }).positionals;
if (!workflowId || !name) {
  console.error('usage: npm run history:save -- WORKFLOW_ID NAME');
  process.exit(2);
}
const engine = createEngine(readConfig([temporalConfig], process.env));
const history = await engine.within(10_000, (client) => client.workflow.getHandle(workflowId).fetchHistory());
const { History } = proto.temporal.api.history.v1;
const readable = History.toObject(History.fromObject(history), {
  enums: String,
  longs: String,
  bytes: String,
});
const file = new URL(`../../test/replay/histories/${name}.json`, import.meta.url);
writeFileSync(file, `${JSON.stringify({ workflowId, history: readable }, withoutStacks, 1)}\n`);
console.log(`Saved ${history.events?.length ?? 0} events.`);
await engine.close();

/** Stack traces name folders of one machine, and no decision depends on them. */
function withoutStacks(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? undefined : value;
}
