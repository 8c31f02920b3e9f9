import type { EntityManager } from '@mikro-orm/postgresql';
import { reservationIdsOf } from '../../domain/accounts/credits.ts';
import { lastSettlement } from '../accounts/credits.ts';
import type { FileTarget } from '../processing/file-target.ts';

/**
 * The pages of a document that are still to be read, and how many of them no run has been paid for: all, unless the last
 * one that was charged was also spent; then those that it could not read are paid for, and those that are read once more
 * are not.
 *
 * @param target the last generation to look at
 */
export async function countUnpaidPages(
  em: EntityManager,
  { fileId, generation }: FileTarget,
): Promise<{ listed: number; unpaid: number }> {
  const generations = Array.from({ length: generation }, (_, at) => at + 1);
  const settled = await lastSettlement(
    em,
    generations.flatMap((each) => reservationIdsOf(fileId, each)),
  );
  const [row] = await em.execute<{ listed: number; again: number }[]>(
    `select count(*)::int as listed, count(content_hash)::int as again
     from document_pages where file_id = ? and status <> 'completed'`,
    [fileId],
  );
  const { listed = 0, again = 0 } = row ?? {};
  return { listed, unpaid: settled === 'spend' ? again : listed };
}
