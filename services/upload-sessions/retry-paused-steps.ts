import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { openFilesOf } from '../files/open-files-of-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { START_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { endUploadSessionPause } from '../../temporal/end-upload-session-pause.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';

const AT_ONCE = 10;

/**
 * Retries immediately the steps that wait because their upload session was paused: they resume, or find it cancelled.
 * If the engine is unreachable, each is retried after its retry delay.
 */
export async function retryPausedSteps(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<void> {
  const files = await em.find(
    StoredFile,
    { ...openFilesOf(session), workflowStartedAt: { $ne: null } },
    { fields: ['id'] },
  );
  await ifReachable(engine, { tenant_id: session.tenantId, session_id: session.id }, async () => {
    for (let from = 0; from < files.length; from += AT_ONCE) {
      const some = files.slice(from, from + AT_ONCE);
      await Promise.all(some.map((file) => endUploadSessionPause(engine, file.id, START_DEADLINE_MS)));
    }
  });
}
