import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { ItemState } from '../../domain/upload-sessions/upload-session.ts';

export interface ItemKey {
  sessionId: string;
  index: number;
}

export interface ItemOutcome {
  state: ItemState;
  fileId?: string;
  error?: FailureReason;
  retryable?: boolean;
}

/** Records the state of an incoming file; the last record of an item wins. */
export async function noteItem(
  em: EntityManager,
  { sessionId, index }: ItemKey,
  filename: string,
  { state, fileId, error, retryable = false }: ItemOutcome,
): Promise<void> {
  await em.upsert(
    UploadSessionItem,
    {
      sessionId,
      index,
      filename,
      state,
      fileId: fileId ?? null,
      error: error ?? null,
      retryable,
      purgedAs: null,
      purgedVersion: null,
      createdAt: new Date(),
    },
    { onConflictExcludeFields: ['createdAt', 'purgedAs', 'purgedVersion'] },
  );
}
