import type { TemporalConfig } from './config.ts';

/**
 * Links into the Temporal UI.
 *
 * @param config `TEMPORAL_UI_URL` may have a path, behind a proxy
 * @returns the page of a workflow by its id; null without a UI
 */
export function createWorkflowUrl({
  TEMPORAL_UI_URL: ui,
  TEMPORAL_NAMESPACE: namespace,
}: Pick<TemporalConfig, 'TEMPORAL_NAMESPACE'> & { TEMPORAL_UI_URL?: string | undefined }): (
  workflowId: string,
) => string | null {
  return (workflowId) =>
    ui === undefined
      ? null
      : `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
