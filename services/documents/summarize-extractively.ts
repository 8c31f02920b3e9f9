import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextWork } from '../../adapters/text-work/text-work.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import type { Description } from '../processing/record-step.ts';
import { documentTypeOf, findDetails } from './document-target.ts';

/** The beginning of a document states its subject; a book need not be read as a whole. */
const PAGES_READ = 50;
const FREQUENT_WORDS = 60;
const KEY_TERMS = 8;

/**
 * Describes a document with its own sentences: nothing is inferred, and nothing leaves the service.
 *
 * @throws TextOverBudget
 */
export async function summarizeExtractively(
  { em, text }: { em: EntityManager; text: TextWork },
  file: StoredFile,
  signal: AbortSignal,
): Promise<Omit<Description, 'durationMs'>> {
  const { title, pageCount, language } = await findDetails(em, file.id);
  const rows = await em.find(
    DocumentPage,
    { fileId: file.id, status: 'completed' },
    { orderBy: { pageNumber: 'asc' }, limit: PAGES_READ },
  );
  const pages = rows.map(({ pageNumber, source, elements }) => ({
    pageNumber,
    source: source ?? ('document' as const),
    elements: [...elements],
  }));
  const type = documentTypeOf(file) ?? 'link';
  const { description, frequent } = await text.sumUpDocument(
    { document: { type, title: title ?? null, pageCount, pages }, most: FREQUENT_WORDS },
    { tenantId: file.tenantId, signal },
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
