import type { WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { isCurrentBundle, WORKFLOWS_PATH } from './workflow-bundle.ts';

/** The prebuilt workflows if they were built from the current sources; otherwise the sources, and logs why. */
export function chooseWorkflows(
  bundle: string | undefined,
  log: Pick<Logger, 'info' | 'warn'>,
): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  if (bundle === undefined) {
    log.info('WORKFLOW_BUNDLE is not set; bundling the workflows');
    return { workflowsPath: WORKFLOWS_PATH };
  }
  if (isCurrentBundle(bundle)) return { workflowBundle: { codePath: bundle } };
  log.warn({ bundle }, 'WORKFLOW_BUNDLE is missing or not built from these sources; bundling the workflows');
  return { workflowsPath: WORKFLOWS_PATH };
}
