import type { PageBox, PageElement } from '../documents/page.ts';

/** A line of text with its position on the page. */
export interface PageLine {
  text: string;
  box: PageBox;
}

/** The text recognised on one page or in one image. */
export interface ReadPage {
  /** Numbered from 1. */
  pageNumber: number;
  /** Its structure, in reading order. */
  elements: readonly PageElement[];
  /** Its lines as recognised; absent if only the elements are available. */
  lines?: readonly PageLine[];
}

/** The lines of a page: as recognised, or derived from its elements. */
export function linesOf({ elements, lines }: ReadPage): readonly PageLine[] {
  if (lines) return lines;
  return elements.flatMap(({ content, box }) => {
    const texts = content.split('\n').filter((text) => text.trim() !== '');
    const height = box.h / Math.max(1, texts.length);
    // Lines of an element are about equally high.
    return texts.map((text, at) => ({ text, box: { ...box, y: box.y + at * height, h: height } }));
  });
}

/** The text of a page, in reading order. */
export function textOf({ elements, lines = [] }: ReadPage): string {
  const texts = elements.length > 0 ? elements.map(({ content }) => content) : lines.map(({ text }) => text);
  return texts.join('\n');
}

/** The cells of a GitHub-flavoured Markdown table by row, without the delimiter row. */
export function cellsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.includes('|') && !isRuler(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\|/, '')
        .replace(/(?<!\\)\|$/, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.replaceAll('\\|', '|').trim()),
    );
}

/** The delimiter row below the header. */
function isRuler(line: string): boolean {
  return /^\|?(?::?-+:?\|)+(?::?-+:?)?$/.test(line.replaceAll(/\s+/g, ''));
}
