import type { EntityManager } from '@mikro-orm/postgresql';
import { reservationIdsOf } from '../../domain/accounts/credits.ts';
import type { FileTarget } from '../processing/file-target.ts';

/**
 * The pages of a document that are still to be read, and how many pages a run that reads them is to be paid for: all,
 * read or not, until a run was. From then on those that are read once more, and those that runs have read whose credits
 * were refunded; those that the paid run could not read are paid for.
 *
 * @param target the last generation to look at
 */
export async function countUnpaidPages(
  em: EntityManager,
  { fileId, generation }: Pick<FileTarget, 'fileId' | 'generation'>,
): Promise<{ listed: number; unpaid: number }> {
  const ids = Array.from({ length: generation }, (_, at) => reservationIdsOf(fileId, at + 1)).flat();
  const [row] = await em.execute<{ listed: number; unpaid: number }[]>(
    `with settled as (
       select closed.kind, opened.created_at as opened_at, closed.created_at as closed_at
       from credit_entries closed join credit_entries opened using (reservation_id)
       where closed.closes and not opened.closes
         and opened.reservation_id = any(?::text[]) and opened.charges @> '[{"operation": "digitize"}]'),
     paid as (select max(closed_at) as at from settled where kind = 'spend'),
     refunded as (
       select min(opened_at) as since from settled, paid where kind = 'refund' and opened_at > paid.at)
     select count(*) filter (where status <> 'completed')::int as listed,
       count(*) filter (
         where paid.at is null or updated_at >= refunded.since
           or (status <> 'completed' and content_hash is not null))::int as unpaid
     from document_pages, paid, refunded where file_id = ?`,
    [`{${ids.map((id) => `"${id}"`).join(',')}}`, fileId],
  );
  return row ?? { listed: 0, unpaid: 0 };
}
