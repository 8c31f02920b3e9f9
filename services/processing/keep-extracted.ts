import type { EntityManager } from '@mikro-orm/postgresql';
import { CategoryExtraction } from '../../db/entities/extractions/category-extraction.ts';
import type { ComponentName } from '../../domain/components.ts';
import type { EndedRun } from './settle-run.ts';

/**
 * Carries what an extraction has stored before it failed or was cancelled over to the next generation, so that no model
 * is paid for it again, however often the rest is retried. A new description may find another category and other text,
 * so it extracts anew.
 *
 * @param run the last one
 * @param reopened components that run again
 */
export async function keepExtracted(
  tx: EntityManager,
  { fileId, generation, components }: EndedRun,
  reopened: readonly ComponentName[],
): Promise<void> {
  if (components.extraction?.status === 'completed' || reopened.includes('description')) return;
  await tx.nativeUpdate(CategoryExtraction, { fileId, generation }, { generation: generation + 1 });
}
