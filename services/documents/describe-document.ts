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
import { findDetails, documentTypeOf } from './document-target.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import type { PageContent } from 'darkroom-reader/document';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import { readPagesInOrder } from './read-document.ts';

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

/** The beginning of a document states its subject: of the other pages, words and tables are counted. */
const PAGES_SUMMED_UP = 50;
const FREQUENT_WORDS = 60;
const KEY_TERMS = 8;

/**
 * Describes a document with its own sentences: nothing is inferred, and nothing leaves the service.
 *
 * @throws TextOverBudget
 */
async function summarizeExtractively(
  { em, text }: { em: EntityManager; text: TextWork },
  file: StoredFile,
  signal: AbortSignal,
): Promise<Omit<Description, 'durationMs'>> {
  const { title, pageCount, language } = await findDetails(em, file.id);
  const work = { tenantId: file.tenantId, signal };
  const extent = { words: 0, tables: 0 };
  const first: PageContent[] = [];
  for await (const rows of readPagesInOrder(em, file.id)) {
    const pages = rows.flatMap(({ pageNumber, status, source, elements }): PageContent[] =>
      status === 'completed' ? [{ pageNumber, source: source ?? 'document', elements: [...elements] }] : [],
    );
    const { words, tables } = await text.extentOfPages({ pages }, work);
    extent.words += words;
    extent.tables += tables;
    first.push(...pages.slice(0, PAGES_SUMMED_UP - first.length));
  }
  const type = documentTypeOf(file) ?? ('link' as const);
  const document = { type, title: title ?? null, pageCount, pages: first };
  const { description, frequent } = await text.sumUpDocument(
    { document, extent, most: FREQUENT_WORDS },
    work,
  );
  return {
    description,
    tags: await keyTerms(em, dictionaryOf(language), frequent),
    usage: NO_TOKENS,
    provider: 'local',
    model: 'extract-v1',
    promptVersion: 'none',
    confidence: null,
  };
}

/** The first of the frequent words that are not stop words, which have no lexeme. Forms of one word count once. */
async function keyTerms(em: EntityManager, dictionary: string, words: readonly string[]): Promise<string[]> {
  const rows = await em.execute<{ word: string }[]>(
    `select word from (
       select distinct on (lexeme) word, place from (
         select word, place, to_tsvector(?::regconfig, word)::text as lexeme
         from jsonb_array_elements_text(?::jsonb) with ordinality as given (word, place)) as words
       where lexeme <> '' order by lexeme, place) as terms
     order by place limit ?`,
    [dictionary, JSON.stringify(words), KEY_TERMS],
  );
  return rows.map(({ word }) => word);
}
