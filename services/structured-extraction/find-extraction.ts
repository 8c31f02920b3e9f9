import type { EntityManager } from '@mikro-orm/postgresql';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { notFound, AppError, type ErrorCode } from '../../domain/app-error.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { isUuid } from '../shared/sql.ts';
import { pollUntil } from '../shared/outage.ts';
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
        if (extraction.engineDueAt) await startExtraction(engine, extraction);
      },
    },
  );
}

/** "500: model provider unavailable or empty result" */
const UNAVAILABLE = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_UNAUTHORIZED'];
const EMPTY = ['EXTRACTION_EMPTY', 'MODEL_REFUSED', 'MODEL_INVALID_REPLY', 'MODEL_INVALID_ANSWER'];
const UNREADABLE = /^(IMAGE_|CONTENT_MISSING|ORIGINAL_MISSING|DECODER_|RECOGNISER_|URL_|UNSUPPORTED_MEDIA)/;

/** Error codes in responses to failed extractions. */
export const EXTRACTION_FAILURES = [
  'MODEL_UNAVAILABLE',
  'EXTRACTION_EMPTY',
  'IMAGE_UNREADABLE',
  'DOCUMENT_UNREADABLE',
  'EXTRACTION_FAILED',
] as const satisfies readonly ErrorCode[];

/** The failure of an extraction, as the response to the request that waited for it. */
export function failureOf({ id, error }: SchemaExtraction): AppError {
  const { code = 'INTERNAL', message = 'unknown failure' } = error ?? {};
  return new AppError(answeredCode(code), `${message} (extraction ${id})`);
}

function answeredCode(code: string): (typeof EXTRACTION_FAILURES)[number] {
  if (UNAVAILABLE.includes(code)) return 'MODEL_UNAVAILABLE';
  if (EMPTY.includes(code)) return 'EXTRACTION_EMPTY';
  if (code.startsWith('DOCUMENT_')) return 'DOCUMENT_UNREADABLE';
  return UNREADABLE.test(code) ? 'IMAGE_UNREADABLE' : 'EXTRACTION_FAILED';
}
