import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { BatchSessionInput, SessionFile, SessionView } from '../../temporal/contract/batch-session.ts';
import { PRIORITIES, QUEUES } from '../../temporal/contract/queues.ts';
import { localWrite, quickIo } from '../activity-options.ts';
import { escalating } from '../escalating.ts';

type SessionActivities = Pick<
  Activities,
  'readUploadSession' | 'closeUploadSession' | 'expireUploadSession' | 'cancelUploadSession'
>;

/** The row of the session as the workflow sees and changes it. */
export function createProjection({ sessionId, tenantId }: BatchSessionInput) {
  const local = proxyLocalActivities<SessionActivities>(localWrite);
  const durable = proxyActivities<SessionActivities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    priority: { priorityKey: PRIORITIES.normal, fairnessKey: tenantId },
    summary: 'Session record (database was slow to answer)',
  });
  const target = { sessionId, tenantId };
  const read = escalating(local.readUploadSession, durable.readUploadSession);
  const close = escalating(local.closeUploadSession, durable.closeUploadSession);
  const expire = escalating(local.expireUploadSession, durable.expireUploadSession);
  const cancel = escalating(local.cancelUploadSession, durable.cancelUploadSession);

  return {
    /** The row as it is now, and all of its files that have not ended. */
    async look(): Promise<{ view: Omit<SessionView, 'files' | 'next'>; files: SessionFile[] }> {
      const files: SessionFile[] = [];
      let after: string | undefined;
      for (;;) {
        const { files: page, next, ...view } = await read(target, after);
        files.push(...page);
        if (next === undefined) return { view, files };
        after = next;
      }
    },
    /** Whether the session has a terminal status now. */
    close: () => close(target),
    /** Seals a session whose client or API is gone. */
    expire: () => expire(target),
    cancel: () => cancel(target),
  };
}
