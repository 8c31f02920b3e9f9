import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import type { PageContent } from 'darkroom-reader/document';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import type { Description } from '../processing/record-step.ts';
import { documentTypeOf, findDetails } from './document-target.ts';
import { readPagesInOrder } from './read-document.ts';

/** The beginning of a document states its subject: of the other pages, words and tables are counted. */
const PAGES_SUMMED_UP = 50;
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
