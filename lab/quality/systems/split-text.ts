/** The usual ways to split text for search without knowledge of its structure. */
import { countTokens } from '../../../adapters/models/count-tokens.ts';
import type { Chunk } from '../../../domain/documents/split-element.ts';

/** The defaults of widely used splitters. */
const CHARACTERS = 1_000;
const OVERLAP = 200;

/** Passages of a fixed size, split between words; each overlaps the end of the previous one. */
export function splitFixed(text: string): Chunk[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const passages: string[] = [];
  let from = 0;
  while (from < words.length) {
    let to = from;
    for (let length = 0; to < words.length && length < CHARACTERS; to++)
      length += (words[to]?.length ?? 0) + 1;
    passages.push(words.slice(from, to).join(' '));
    if (to === words.length) break;
    let back = to;
    for (let length = 0; back > from + 1 && length < OVERLAP; back--)
      length += (words[back - 1]?.length ?? 0) + 1;
    from = back;
  }
  return passages.map(toChunk);
}

/** The sections of a Markdown text with their headings; longer sections are split into passages of a fixed size. */
export function splitMarkdown(markdown: string): Chunk[] {
  return markdown
    .split(/^(?=#{1,6} )/m)
    .flatMap((section) => (section.length <= CHARACTERS ? [toChunk(section.trim())] : splitFixed(section)))
    .filter(({ content }) => content !== '');
}

const toChunk = (content: string): Chunk => ({
  content,
  pageNumbers: [1],
  headingPath: [],
  tokenCount: countTokens(content),
  type: 'text',
});
