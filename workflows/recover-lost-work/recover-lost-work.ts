import { patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { longIo } from '../activity-options.ts';

/** What was found and mended. */
export interface Recovered {
  files: number;
  objects: number;
}

/**
 * Looks for what no other part will come back to: open files and sessions without a workflow, and objects without a
 * file. Run by a schedule.
 */
export async function recoverLostWork(): Promise<Recovered> {
  const activities = proxyActivities<Activities>({ ...longIo, taskQueue: QUEUES.io });
  // Before the files, since an open session is what starts its own.
  if (patched('lost-sessions')) {
    await activities.recoverLostUploadSessions.executeWithOptions(
      { summary: 'Open sessions without a workflow' },
      [],
    );
  }
  const [files, objects] = await Promise.all([
    activities.recoverLostFiles.executeWithOptions({ summary: 'Open files without a workflow' }, []),
    activities.removeAbandonedObjects.executeWithOptions({ summary: 'Objects without a file' }, []),
  ]);
  return { files, objects };
}
