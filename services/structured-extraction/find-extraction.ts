import type { EntityManager } from '@mikro-orm/postgresql';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { notFound } from '../../domain/app-error.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { isUuid } from '../shared/ids.ts';
import { pollUntil } from '../shared/poll-until.ts';
import { reconcileExtraction, startExtraction } from './start-extraction.ts';

/**
 * An extraction of the tenant, reconciled with the engine.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export async function findExtraction(
  { em, engine }: { em: EntityManager; engine: Engine },
  tenantId: string,
  id: string,
): Promise<SchemaExtraction> {
  const extraction = isUuid(id)
    ? await em.findOne(SchemaExtraction, { tenantId, id: id.toLowerCase() }, { refresh: true })
    : null;
  if (!extraction) throw notFound('extraction');
  try {
    await reconcileExtraction({ em, engine }, extraction, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
  return extraction;
}

/**
 * Waits until an extraction has ended, the time is up, or the client has gone. Starts it if the engine lacks it.
 *
 * @param extraction is refreshed
 */
export async function waitForExtraction(
  { em, engine }: { em: EntityManager; engine: Engine },
  extraction: SchemaExtraction,
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
): Promise<void> {
  await pollUntil(
    async () => {
      await em.refreshOrFail(extraction);
      return extraction.status !== 'processing' || undefined;
    },
    {
      milliseconds,
      signal,
      startDue: async () => {
        if (extraction.engineDueAt) await startExtraction({ em, engine }, extraction);
      },
    },
  );
}
