import type { Engine } from '../client.ts';
import { parseFileWorkflowId } from '../contract/ids.ts';
import { PROCESS_FILE } from '../contract/process-file.ts';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';

/** More candidates than this are looked at in later calls. */
const MOST = 2000;

/**
 * Ids of a tenant's files whose run is open and has shown no progress since, by visibility: a superset of the stuck
 * ones, as heartbeats are not in it.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function listQuietFiles(
  engine: Engine,
  tenantId: string,
  since: Date,
  milliseconds: number,
): Promise<string[]> {
  const [tenant, progress] = [SEARCH_ATTRIBUTES.tenantId.name, SEARCH_ATTRIBUTES.lastProgressAt.name];
  const at = since.toISOString();
  const query =
    `WorkflowType = '${PROCESS_FILE}' AND ExecutionStatus = 'Running' AND ${tenant} = '${tenantId}' ` +
    `AND (${progress} < '${at}' OR (${progress} IS NULL AND StartTime < '${at}'))`;
  return engine.within(milliseconds, async (client) => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) {
      const fileId = parseFileWorkflowId(workflowId);
      if (fileId) ids.push(fileId);
      if (ids.length >= MOST) break;
    }
    return ids;
  });
}
