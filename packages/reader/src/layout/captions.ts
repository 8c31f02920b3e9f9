import type { PageElement } from '../document/page.ts';
import { CAPTION } from './headings.ts';

const CAPTIONED: ReadonlySet<string> = new Set(['table', 'figure', 'code']);
/** The rest of a number, such as that of `Table 3.2a`. */
const NUMBER = /^[\d.IVXL-]*(?:[a-z](?!\p{L}))?/u;
/** A caption goes on with a sign or a capital; `Table 3 shows` is a sentence. */
const GOES_ON = /^\s*(?:[:.|(–—-]|\p{Lu}|\p{Lo}|\p{N}|$)/u;
const LONGEST = 500;

/** Marks the paragraphs beside a table, a figure or a listing that are its caption. */
export function withCaptions<Element extends Pick<PageElement, 'type' | 'role'> & { content?: string }>(
  elements: readonly Element[],
): Element[] {
  return elements.map((element, at) => {
    const { type, role, content = '' } = element;
    const isBeside = [elements[at - 1], elements[at + 1]].some((other) => CAPTIONED.has(other?.type ?? ''));
    if (type !== 'paragraph' || role !== undefined || !isBeside || content.length > LONGEST) return element;
    const label = CAPTION.exec(content)?.[0];
    if (label === undefined || !GOES_ON.test(content.slice(label.length).replace(NUMBER, ''))) return element;
    return { ...element, role: 'caption' };
  });
}
