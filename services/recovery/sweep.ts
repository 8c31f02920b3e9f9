import type { EntityManager } from '@mikro-orm/postgresql';
import type { Engine } from '../../temporal/client.ts';

/** What every part of the orphan sweep needs. */
export interface SweepDeps {
  em: EntityManager;
  engine: Engine;
  /** Younger rows are still in the hands of the request that wrote them. */
  graceSeconds: number;
}

/** Rows that were written before this moment are nobody's any more. */
export function beforeGrace({ graceSeconds }: Pick<SweepDeps, 'graceSeconds'>): Date {
  return new Date(Date.now() - graceSeconds * 1000);
}
