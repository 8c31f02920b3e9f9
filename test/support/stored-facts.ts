import type { EntityManager } from '@mikro-orm/postgresql';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import { FileTimeline } from '../../db/entities/processing/file-timeline.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { reservationId } from '../../domain/accounts/credits.ts';

/** The stored data of a file besides its row, which a fault must not duplicate. */
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

/** The expected facts of a described image, without duplicates. */
export const NO_DUPLICATES = {
  variants: 4,
  descriptions: 1,
  timelines: 1,
  credits: ['reserve 1', 'spend 1'],
};
