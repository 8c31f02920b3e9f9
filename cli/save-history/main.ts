import proto from '@temporalio/proto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { writeFileSync } from 'node:fs';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';
import { readFlags } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';

const HELP = `Usage: npm run history:save -- WORKFLOW_ID NAME

Keeps the history of a workflow in test/replay/histories/NAME.json, where the replay test runs every later version of
the workflow code against it. Each released workflow leaves some there.`;
const HISTORY_WITHIN_MS = 10_000;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), {}, 2);
  if (!given) return undefined;
  const [workflowId, name] = given.positionals;
  if (!workflowId || !name) throw new CannotBegin('Usage: npm run history:save -- WORKFLOW_ID NAME');
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const history = await engine.within(HISTORY_WITHIN_MS, async (client) => {
      const handle = client.workflow.getHandle(workflowId);
      // Unlike the fetch of a history, it tells an unknown workflow from other errors.
      await handle.describe();
      return handle.fetchHistory();
    });
    const { History } = proto.temporal.api.history.v1;
    const readable = History.toObject(History.fromObject(history), {
      enums: String,
      longs: String,
      bytes: String,
    });
    const file = new URL(`../../test/replay/histories/${name}.json`, import.meta.url);
    writeFileSync(file, `${JSON.stringify({ workflowId, history: readable }, withoutStacks, 1)}\n`);
    console.log(`Saved ${history.events?.length ?? 0} events.`);
    return 0;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CannotBegin(`Workflow ${workflowId} not found.`, { cause: error });
  } finally {
    await engine.close();
  }
});

/** Stack traces name folders of one machine, and no decision depends on them. */
function withoutStacks(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? undefined : value;
}
