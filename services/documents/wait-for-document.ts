import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { endOfDocumentAnalysis, type DocumentAnalysisEnd } from '../../domain/documents/document-analysis.ts';
import type { Engine } from '../../temporal/client.ts';
import { startIfDue } from '../processing/reconcile-file.ts';
import { pollUntil, type PollOptions } from '../shared/poll-until.ts';

/**
 * Waits until a document has its text and chunks, or the time is up. Starts its processing if the engine was away before.
 *
 * @param file is refreshed
 * @returns how the analysis ended; undefined when the time is up
 */
export async function waitForDocument(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  wait: Pick<PollOptions, 'milliseconds' | 'signal'>,
): Promise<DocumentAnalysisEnd | undefined> {
  return pollUntil(
    async () => {
      await deps.em.refreshOrFail(file);
      return endOfDocumentAnalysis(file.components);
    },
    { ...wait, startDue: () => startIfDue(deps, file) },
  );
}
