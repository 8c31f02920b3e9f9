import { WorkflowNotFoundError } from '@temporalio/client';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { readFlags } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { saveHistory } from './save-history.ts';

const HELP = `Usage: npm run history:save -- WORKFLOW_ID NAME

Saves the history of a workflow to test/replay/histories/NAME.json, where the replay test runs every later version of
the workflow code against it. Save a few histories of each released workflow.`;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), {}, 2);
  if (!given) return undefined;
  const [workflowId, name] = given.positionals;
  if (!workflowId || !name) throw new UsageError('Usage: npm run history:save -- WORKFLOW_ID NAME');
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    console.log(`Saved ${await saveHistory(engine, workflowId, name)} events.`);
    return 0;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new UsageError(`Workflow ${workflowId} not found.`, { cause: error });
  } finally {
    await engine.close();
  }
});
