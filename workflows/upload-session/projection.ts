import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type {
  UploadSessionInput,
  UploadSessionFile,
  UploadSessionView,
} from '../../temporal/contract/upload-session.ts';
import { QUEUES, taskPriority } from '../../temporal/contract/queues.ts';
import { localWrite, quickIo } from '../activity-options.ts';
import { withDurableFallback } from '../with-durable-fallback.ts';

type SessionActivities = Pick<
  Activities,
  'readUploadSession' | 'closeUploadSession' | 'expireUploadSession' | 'cancelUploadSession'
>;

/** The workflow's access to the session's row. */
export function createProjection({ sessionId, tenantId }: UploadSessionInput) {
  const local = proxyLocalActivities<SessionActivities>(localWrite);
  const durable = proxyActivities<SessionActivities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    priority: taskPriority('normal', tenantId),
    summary: 'Session record (database was slow to answer)',
  });
  const target = { sessionId, tenantId };
  const readPage = withDurableFallback(local.readUploadSession, durable.readUploadSession);
  const close = withDurableFallback(local.closeUploadSession, durable.closeUploadSession);
  const expire = withDurableFallback(local.expireUploadSession, durable.expireUploadSession);
  const cancel = withDurableFallback(local.cancelUploadSession, durable.cancelUploadSession);

  return {
    /** The current row, and all of its unfinished files. */
    async read(): Promise<{ view: Omit<UploadSessionView, 'files' | 'next'>; files: UploadSessionFile[] }> {
      const files: UploadSessionFile[] = [];
      let after: string | undefined;
      for (;;) {
        const { files: page, next, ...view } = await readPage(target, after);
        files.push(...page);
        if (next === undefined) return { view, files };
        after = next;
      }
    },
    /** Whether the session has a terminal status now. */
    close: () => close(target),
    /** Seals a session whose client or API process is gone. */
    expire: () => expire(target),
    cancel: () => cancel(target),
  };
}
