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
export async function recordItem(
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

/** The same, unless the session takes no more files: then its counts are final but for work in progress. */
export async function recordItemWhileOpen(
  em: EntityManager,
  { sessionId, index }: ItemKey,
  filename: string,
  { state, error, retryable = false }: Omit<ItemOutcome, 'fileId'>,
): Promise<void> {
  // One statement, since every file of a batch takes it twice.
  await em.execute(
    `insert into upload_session_items (session_id, index, filename, state, error, retryable, created_at)
     select id, ?, ?, ?, ?, ?, now() from upload_sessions where id = ? and sealed_by is null for share
     on conflict (session_id, index) do update
       set filename = excluded.filename, state = excluded.state, error = excluded.error, retryable = excluded.retryable`,
    [index, filename, state, error ? JSON.stringify(error) : null, retryable, sessionId],
  );
}
