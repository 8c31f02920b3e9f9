import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import { frequentWords, summarise } from '../../domain/documents/summary.ts';
import { MAX_TAGS } from '../../domain/limits.ts';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import { recordFileOperation } from '../usage/record-file-operation.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/steps/record-step.ts';
import { documentTypeOf, findDetails } from './document-target.ts';

/** The beginning of a document says what it is about; a book need not be read as a whole. */
const PAGES_READ = 50;
const FREQUENT_WORDS = 60;
const KEY_TERMS = 8;

/**
 * Describes a document by its own words: nothing leaves the service. Repeating it overwrites the result.
 *
 * @throws FileGone
 */
export async function describeDocument(em: EntityManager, target: FileTarget): Promise<void> {
  const { fileId, generation } = target;
  const began = performance.now();
  const file = await findTarget(em, target);
  const details = await findDetails(em, fileId);
  const rows = await em.find(
    DocumentPage,
    { fileId, status: 'completed' },
    { orderBy: { pageNumber: 'asc' }, limit: PAGES_READ },
  );
  const pages = rows.map(({ pageNumber, source, elements }) => ({
    pageNumber,
    source: source ?? ('document' as const),
    elements: [...elements],
  }));
  const { title, pageCount, language } = details;
  const type = documentTypeOf(file) ?? 'txt';
  const description = summarise({ type, title: title ?? null, pageCount, pages });
  const tags = await keyTerms(em, dictionaryOf(language), frequentWords(pages, FREQUENT_WORDS));
  const describedAt = new Date();
  const [provider, model] = ['local', 'extract-v1'];
  const durationMs = performance.now() - began;
  await recordStep(em, target, {
    changes: (current) => ({
      uploadDescription: description,
      describedAt,
      tags: [...new Set([...current.tags, ...tags])].slice(0, MAX_TAGS),
    }),
    async save(tx) {
      await tx.upsert(FileDescription, {
        fileId,
        generation,
        provider,
        model,
        promptVersion: 'none',
        description,
        tags,
        ...NO_TOKENS,
        createdAt: describedAt,
      });
      const operation = { operation: 'describe', provider, model, usage: NO_TOKENS, durationMs } as const;
      await recordFileOperation(tx, file, operation);
    },
  });
}

/** Of frequent words, the first that are no stop words: those give no lexeme. Forms of one word count once. */
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
