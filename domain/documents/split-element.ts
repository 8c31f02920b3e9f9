/** Content types of a chunk; `mixed` combines several of them. Headings and code count as text. */
export const CHUNK_TYPES = ['text', 'list', 'table', 'mixed'] as const;
export type ChunkType = (typeof CHUNK_TYPES)[number];

/** What a chunk is in its document: text to read, or contents (also lists of figures and tables) or an index. */
export const CHUNK_ROLES = ['body', 'contents', 'index'] as const;
export type ChunkRole = (typeof CHUNK_ROLES)[number];

export const EMBEDDING_STATUSES = ['pending', 'completed', 'failed'] as const;
export type EmbeddingStatus = (typeof EMBEDDING_STATUSES)[number];

/** The place of an element: the number of its page, and its position among the page's elements, from 0. */
export type ElementPlace = readonly [page: number, position: number];

/** A part of a document's text that search returns as a unit. */
export interface Chunk {
  content: string;
  /** In ascending order, without duplicates. */
  pageNumbers: number[];
  /** The headings above its beginning, outermost first; a heading at its very beginning is the last of them. */
  headingPath: string[];
  tokenCount: number;
  type: ChunkType;
  role: ChunkRole;
  /** The elements whose text it has, wholly or in part, in order. */
  elements: ElementPlace[];
}

export type CountTokens = (text: string) => number;

/** Splits a text between sentences, a long sentence between words, and a long word anywhere. Lossless. */
export function splitText(text: string, countTokens: CountTokens, limit: number): string[] {
  if (countTokens(text) <= limit) return [text];
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)];
  return gather(
    sentences.flatMap(({ segment }) => words(segment, countTokens, limit)),
    countTokens,
    limit,
  ).map((part) => part.trim());
}

/** Splits a list, or another text of lines, between its parts. */
export function splitParts(parts: readonly string[], countTokens: CountTokens, limit: number): string[] {
  const whole = parts.join('\n').trim();
  if (countTokens(whole) <= limit) return [whole];
  return gather(
    parts.flatMap((part) => words(`${part}\n`, countTokens, limit)),
    countTokens,
    limit,
  ).map((part) => part.trim());
}

/** Splits code between lines, which keep their indents. */
export function splitLines(code: string, countTokens: CountTokens, limit: number): string[] {
  if (countTokens(code) <= limit) return [code];
  const lines = code.split(/(?<=\n)/);
  return gather(
    lines.flatMap((line) => words(line, countTokens, limit)),
    countTokens,
    limit,
  ).map(withoutBlankEnds);
}

/** Code without blank lines before and after it; its first line keeps its indent. */
export const withoutBlankEnds = (code: string): string => code.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();

/** Splits a table between rows; every part begins with the header, unless that leaves no room for rows. */
export function splitTable(
  { header, rows }: { header: readonly string[]; rows: readonly string[] },
  countTokens: CountTokens,
  limit: number,
): string[] {
  const table = [...header, ...rows];
  if (countTokens(table.join('\n')) <= limit) return [table.join('\n')];
  const head = header.map((line) => `${line}\n`).join('');
  const room = limit - countTokens(head);
  if (room < limit / 2) return splitParts(table, countTokens, limit);
  const parts = gather(
    rows.flatMap((row) => words(`${row}\n`, countTokens, room)),
    countTokens,
    room,
  );
  return parts.map((part) => `${head}${part}`.trim());
}

/** Joins neighbours while they fit within the limit together. */
function gather(parts: readonly string[], countTokens: CountTokens, limit: number): string[] {
  const gathered: string[] = [];
  let current = '';
  let tokens = 0;
  for (const part of parts) {
    const more = countTokens(part);
    if (current !== '' && tokens + more > limit) {
      gathered.push(current);
      current = '';
      tokens = 0;
    }
    current += part;
    tokens += more;
  }
  if (current.trim() !== '') gathered.push(current);
  return gathered;
}

function words(text: string, countTokens: CountTokens, limit: number): string[] {
  if (countTokens(text) <= limit) return [text];
  const parts = text.match(/\S+\s*|\s+/g) ?? [];
  return gather(
    parts.flatMap((part) => letters(part, countTokens, limit)),
    countTokens,
    limit,
  );
}

/** Splits text without spaces, such as a line of Chinese or an encoded file. */
function letters(text: string, countTokens: CountTokens, limit: number): string[] {
  if (countTokens(text) <= limit) return [text];
  const half = Math.ceil(text.length / 2);
  // Keep surrogate pairs together.
  const middle = /^[\uDC00-\uDFFF]/.test(text.slice(half)) ? half + 1 : half;
  if (middle >= text.length) return [text];
  return [text.slice(0, middle), text.slice(middle)].flatMap((part) => letters(part, countTokens, limit));
}
