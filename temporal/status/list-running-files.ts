import type { Engine } from '../client.ts';
import { parseFileWorkflowId } from '../contract/ids.ts';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';

/**
 * Ids of the files of an upload session whose run is open, from visibility, which may not know the newest ones yet.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function listRunningFiles(
  engine: Engine,
  sessionId: string,
  milliseconds: number,
): Promise<Set<string>> {
  const query =
    `WorkflowType = 'processFile' AND ExecutionStatus = 'Running' ` +
    `AND ${SEARCH_ATTRIBUTES.sessionId.name} = '${sessionId}'`;
  return engine.within(milliseconds, async (client) => {
    const ids = new Set<string>();
    for await (const { workflowId } of client.workflow.list({ query })) {
      const fileId = parseFileWorkflowId(workflowId);
      if (fileId) ids.add(fileId);
    }
    return ids;
  });
}
