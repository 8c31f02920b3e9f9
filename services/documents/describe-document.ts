import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import type { DocumentToDescribe } from '../../adapters/models/vision/document-model.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import {
  recordingFailure,
  describedBy,
  type Description,
  recordStep,
  storePaidAnswer,
  type PaidAttempt,
  tenantModel,
  type ModelDeps,
} from '../processing/record-step.ts';
import { summarizeExtractively } from './summarize-extractively.ts';
import { findDetails } from './document-target.ts';

/** Text sent to the model, in characters: enough for the subject of a document, without paying for a book. */
const MAX_TEXT = 12_000;
const MAX_HEADINGS = 100;
const MAX_HEADING = 200;
const PAGES_READ = 20;

/**
 * Describes a document once per generation: an existing answer is not paid for again. The model gets the beginning of
 * the text and the headings; a tenant that allows no model gets an extractive summary, and nothing leaves the service.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, TextOverBudget, and the errors of the model
 */
export async function describeDocument(
  { em, text, ...choice }: ModelDeps & { em: EntityManager; text: TextWork },
  target: FileTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const file = await findTarget(em, target);
  const { fileId, generation } = target;
  if ((await em.count(FileDescription, { fileId, generation })) > 0) return;
  const { documents, provider, model } = await tenantModel(em, target.tenantId, choice);

  async function ask(): Promise<Description> {
    const began = performance.now();
    const beginning = await beginningOf(em, file);
    // For a document without text, a model could only guess.
    const answer =
      documents && beginning.text !== ''
        ? await recordingFailure(em, file, { operation: 'describe', provider, model }, async () => ({
            ...(await documents.describe(beginning, attempt)),
            provider,
            model,
          }))
        : await summarizeExtractively({ em, text }, file, attempt.signal);
    return { ...answer, durationMs: performance.now() - began };
  }

  await storePaidAnswer(attempt, ask, (description) =>
    recordStep(em, target, describedBy(file, description)),
  );
}

async function beginningOf(em: EntityManager, { id, filename }: StoredFile): Promise<DocumentToDescribe> {
  const { title, pageCount, language } = await findDetails(em, id);
  const pages = await em.find(
    DocumentPage,
    { fileId: id, status: 'completed', text: { $ne: '' } },
    { orderBy: { pageNumber: 'asc' }, limit: PAGES_READ, fields: ['text'] },
  );
  const headings = await em.execute<{ content: string }[]>(
    `select left(element ->> 'content', ?) as content
     from document_pages, jsonb_array_elements(elements) with ordinality as listed (element, place)
     where file_id = ? and status = 'completed' and element ->> 'type' = 'heading'
     order by page_number, place limit ?`,
    [MAX_HEADING, id, MAX_HEADINGS],
  );
  return {
    filename,
    title: title ?? null,
    pageCount,
    language: language ?? null,
    headings: headings.map(({ content }) => content),
    text: pages
      .map(({ text }) => text)
      .join('\n\n')
      .slice(0, MAX_TEXT)
      .toWellFormed(),
  };
}
