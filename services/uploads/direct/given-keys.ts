import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import type { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';

/** The key by which a client knows a file: the one it was given for a direct upload, otherwise the key of the object. */
export async function givenKey(
  em: EntityManager,
  { id: fileId, tenantId, objectKey }: StoredFile,
): Promise<string> {
  const intent = await em.findOne(UploadIntent, { fileId, tenantId });
  return intent?.objectKey ?? objectKey;
}

/** The keys given for the uploads of a session, by their position; empty if its files were streamed. */
export async function givenKeysOf(
  em: EntityManager,
  { id: sessionId, tenantId }: UploadSession,
): Promise<Map<number, string>> {
  const intents = await em.find(UploadIntent, { sessionId, tenantId });
  return new Map(intents.map(({ sessionIndex, objectKey }) => [sessionIndex ?? -1, objectKey]));
}
