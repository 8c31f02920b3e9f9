import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { embeddedText } from '../../../services/documents/index-chunks.ts';
import { answers, bare } from './answers.ts';
import type { AskedQuestion } from './manuals.ts';
import { CACHE, type DividedFile } from './passages.ts';

/**
 * Writes all chunks, one per line, and all questions with their vectors as JSON to the cache, for trials of formulas without
 * servers: `development.json` and `development-questions.json`.
 */
export async function dumpDevelopment(
  files: readonly DividedFile[],
  questions: readonly AskedQuestion[],
  textEmbedding: TextEmbedding,
  signal: AbortSignal,
): Promise<void> {
  const chunks = files.flatMap(({ manual, filename, language, chunks: own }) =>
    own.map((chunk, index) => ({
      id: `${manual}/${filename}/${index}`,
      document: manual,
      filename,
      language,
      dictionary: chunk.dictionary,
      headingPath: chunk.headingPath,
      pages: chunk.pageNumbers,
      content: chunk.content,
    })),
  );
  const vectors = await textEmbedding.embed(chunks.map(embeddedText), { role: 'passage', signal });
  const asked = await textEmbedding.embed(
    questions.map(({ question }) => question),
    { role: 'query', signal },
  );
  const passages = chunks.map(({ id, document, content }) => ({ id, document, text: bare(content) }));
  const answered = questions.map((question, at) => ({
    ...question,
    vector: asked[at],
    relevant: passages.flatMap(({ id, document, text }) =>
      document === question.manual && answers(text, question) ? [id] : [],
    ),
  }));
  const lines = chunks.map((chunk, at) => JSON.stringify({ ...chunk, vector: vectors[at] }));
  await writeFile(join(CACHE, 'development.json'), `[\n${lines.join(',\n')}\n]\n`);
  await writeFile(join(CACHE, 'development-questions.json'), JSON.stringify(answered));
}
