import proto from '@temporalio/proto';
import { writeFileSync } from 'node:fs';
import type { Engine } from '../../temporal/client.ts';
import { fetchHistory } from '../../temporal/status/fetch-history.ts';

const DEADLINE_MS = 10_000;

/**
 * Saves the history of a workflow to test/replay/histories/, where the replay test runs every later version of the
 * workflow code against it.
 *
 * @param name  name of the file, without extension
 * @param runId default: the newest run
 * @returns the number of events
 * @throws WorkflowNotFoundError; EngineUnavailable after 10 seconds
 */
export async function saveHistory(
  engine: Engine,
  workflowId: string,
  name: string,
  runId?: string,
): Promise<number> {
  const history = await fetchHistory(engine, workflowId, runId, DEADLINE_MS);
  const { History } = proto.temporal.api.history.v1;
  const readable = History.toObject(History.fromObject(history), {
    enums: String,
    longs: String,
    bytes: String,
  });
  const file = new URL(`../../test/replay/histories/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify({ workflowId, history: readable }, withoutStacks, 1)}\n`);
  return history.events?.length ?? 0;
}

/** Stack traces contain local paths, and replay does not depend on them. */
function withoutStacks(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? undefined : value;
}
