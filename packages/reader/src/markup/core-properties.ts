import type { DocumentFacts } from '../opened-document.ts';
import { cleanText } from '../layout/plain-text.ts';
import { childrenOf, type MarkupElement, textOf, unescaped } from './parse-markup.ts';

const LONGEST = 500;

/** The facts that elements of the Dublin Core name, as office documents and EPUB have them. */
export function coreProperties(
  parent: MarkupElement | undefined,
): Pick<DocumentFacts, 'title' | 'author' | 'createdAt'> {
  const first = (name: string): string | null =>
    childrenOf(parent, name)
      .map((element) => shortText(unescaped(textOf(element))))
      .find((text) => text !== null) ?? null;
  return {
    title: first('title'),
    author: first('creator'),
    createdAt: dateOf(first('created') ?? first('date')),
  };
}

/** A text on one line, not too long for a title; null if there is none. */
export function shortText(text: string): string | null {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST).toWellFormed() || null;
}

/** A date as ISO 8601; null for none. */
export function dateOf(text: string | null): string | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
