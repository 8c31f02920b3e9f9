import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditEntry } from '../../db/entities/credit-entry.ts';
import { FileDescription } from '../../db/entities/file-description.ts';
import { FileTimeline } from '../../db/entities/file-timeline.ts';
import { FileVariant } from '../../db/entities/file-variant.ts';
import { reservationId } from '../../domain/credits.ts';

/** What there is of a file beside its row: a fault must not double any of it. */
export async function storedFacts(em: EntityManager, fileId: string) {
  const entries = await em.find(
    CreditEntry,
    { reservationId: reservationId(fileId, 1) },
    { orderBy: { closes: 'asc' } },
  );
  return {
    variants: await em.count(FileVariant, { fileId }),
    descriptions: await em.count(FileDescription, { fileId }),
    timelines: await em.count(FileTimeline, { fileId }),
    credits: entries.map(({ kind, amount }) => `${kind} ${amount}`),
  };
}
