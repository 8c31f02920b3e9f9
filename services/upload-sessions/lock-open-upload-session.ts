import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';

/**
 * Locks a session against being sealed until the transaction ends.
 *
 * @throws AppError UPLOAD_SESSION_ENDED when it was sealed or cancelled meanwhile
 */
export async function lockOpenUploadSession(tx: EntityManager, sessionId: string): Promise<void> {
  const [session] = await tx.execute<{ status: string; sealed_by: string | null }[]>(
    'select status, sealed_by from upload_sessions where id = ? for share',
    [sessionId],
  );
  if (!session || session.sealed_by) {
    throw new AppError(
      'UPLOAD_SESSION_ENDED',
      `the session is ${session?.status ?? 'gone'} and takes no more files`,
    );
  }
}
