import type { Engine } from '../client.ts';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';
import { FILE_WORKFLOWS } from '../contract/process-file.ts';

/** Further candidates are left to later calls. */
const MAX_CANDIDATES = 2000;

/**
 * Ids of the files of an upload session whose run is open, from visibility, which may still lack the newest ones.
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
      const fileId = FILE_WORKFLOWS.parse(workflowId);
      if (fileId) ids.add(fileId);
    }
    return ids;
  });
}

/**
 * Ids of the files of a tenant, or of all tenants, whose run is open and shows no progress since then in visibility: a superset of the stuck
 * files, because visibility has no heartbeats.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function listQuietFiles(
  engine: Engine,
  tenantId: string | undefined,
  since: Date,
  milliseconds: number,
): Promise<string[]> {
  const [tenant, progress] = [SEARCH_ATTRIBUTES.tenantId.name, SEARCH_ATTRIBUTES.lastProgressAt.name];
  const at = since.toISOString();
  const query =
    `WorkflowType = 'processFile' AND ExecutionStatus = 'Running' ` +
    (tenantId === undefined ? '' : `AND ${tenant} = '${tenantId}' `) +
    `AND (${progress} < '${at}' OR (${progress} IS NULL AND StartTime < '${at}'))`;
  return engine.within(milliseconds, async (client) => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) {
      const fileId = FILE_WORKFLOWS.parse(workflowId);
      if (fileId) ids.push(fileId);
      if (ids.length >= MAX_CANDIDATES) break;
    }
    return ids;
  });
}

/**
 * How many runs of files are open, by their status.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function countOpenFiles(
  engine: Engine,
  milliseconds: number,
): Promise<Record<'queued' | 'processing', number>> {
  const count = (status: string) =>
    engine.within(milliseconds, (client) =>
      client.workflow.count(
        `WorkflowType = 'processFile' AND ExecutionStatus = 'Running' AND ${SEARCH_ATTRIBUTES.unifiedStatus.name} = '${status}'`,
      ),
    );
  const [queued, processing] = await Promise.all([count('queued'), count('processing')]);
  return { queued: queued.count, processing: processing.count };
}
