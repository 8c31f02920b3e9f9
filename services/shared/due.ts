import type { EntityName, FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * A row whose workflow has to learn of its state. The mark names that state: only who has read the row for the workflow
 * removes it, and only the mark that was read. An answer of the engine to a start or a signal proves nothing.
 */
export interface DueRow {
  id: string;
  engineDueAt?: Date | null | undefined;
}

/** The mark of a row that is written with work for its workflow. */
export const dueSince = (at: Date) => ({ engineDueAt: at });
/** The mark of a row without such work, because it has no workflow, has ended, or was just read for it. */
export const NOT_DUE = { engineDueAt: null } as const;

export function isDue({ engineDueAt }: Pick<DueRow, 'engineDueAt'>): boolean {
  return Boolean(engineDueAt);
}

/** Marks a changed row. A later change has a later mark, even by a clock that is behind. */
export function markDue(row: DueRow, now = new Date()): void {
  row.engineDueAt = new Date(Math.max(now.getTime(), (row.engineDueAt?.getTime() ?? 0) + 1));
}

/**
 * Removes the mark of a row, for its workflow, which has read it, or because the engine knows the workflow and that it has
 * ended. A mark that was set since stays.
 */
export async function acknowledge<T extends DueRow>(
  em: EntityManager,
  entity: EntityName<T>,
  { id, engineDueAt }: DueRow,
): Promise<void> {
  if (engineDueAt) await setMark(em, entity, { id, engineDueAt }, null);
}

/** Moves a mark that is past to the present, so that the sweep next reaches the rows that it has not checked yet. */
export async function checkAgainLater<T extends DueRow>(
  em: EntityManager,
  entity: EntityName<T>,
  { id, engineDueAt }: DueRow,
): Promise<void> {
  const now = new Date();
  if (engineDueAt) await setMark(em, entity, { id, engineDueAt: { $lt: now } }, now);
}

async function setMark<T extends DueRow>(
  em: EntityManager,
  entity: EntityName<T>,
  where: FilterQuery<DueRow>,
  engineDueAt: Date | null,
): Promise<void> {
  await em.nativeUpdate<DueRow>(entity as EntityName<DueRow>, where, { engineDueAt });
}
