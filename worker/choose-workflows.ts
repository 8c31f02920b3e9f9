import type { WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { isCurrentBundle, WORKFLOWS_PATH } from './workflow-bundle.ts';

/** The prebuilt workflows, if they are built from the present sources; else the sources, and the log says why. */
export function chooseWorkflows(
  bundle: string | undefined,
  log: Pick<Logger, 'info' | 'warn'>,
): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  if (bundle === undefined) {
    log.info('WORKFLOW_BUNDLE names no bundle; bundling the workflows');
    return { workflowsPath: WORKFLOWS_PATH };
  }
  if (isCurrentBundle(bundle)) return { workflowBundle: { codePath: bundle } };
  log.warn({ bundle }, 'WORKFLOW_BUNDLE is missing or not built from these sources; bundling the workflows');
  return { workflowsPath: WORKFLOWS_PATH };
}
