import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { AppError } from '../../../domain/app-error.ts';

/** At most this many are listed in a response; there may be ten thousand. */
const NAMED = 100;

/**
 * Rejects a multipart upload with unconfirmed parts.
 *
 * @throws AppError PARTS_MISSING that names them
 */
export async function rejectMissingParts(em: EntityManager, intent: UploadIntent): Promise<void> {
  const missing = await em.execute<{ number: number; total: number }[]>(
    `select number, (count(*) over ())::int as total from generate_series(1, ?::int) as number
     where not exists (select 1 from upload_parts where upload_id = ? and part_number = number)
     order by number limit ?`,
    [intent.totalParts, intent.id, NAMED],
  );
  const [first] = missing;
  if (!first) return;
  const numbers = missing.map(({ number }) => number);
  throw new AppError('PARTS_MISSING', `${namedNumbers(numbers, first.total)} not confirmed`, {
    errors: numbers.map((number) => ({ pointer: `/parts/${number}`, message: 'not confirmed' })),
  });
}

/** `part 7 is` or `parts 1, 2, 3 and 47 more are`. */
export function namedNumbers(numbers: readonly number[], total = numbers.length): string {
  const named = numbers.slice(0, NAMED);
  if (total === 1) return `part ${named[0]} is`;
  const more = total - named.length;
  return `parts ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} are`;
}
