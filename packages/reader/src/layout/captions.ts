import type { PageElement } from '../document/page.ts';
import { CAPTION } from './headings.ts';

const CAPTIONED: ReadonlySet<string> = new Set(['table', 'figure', 'code']);
/** The rest of a number, such as that of `Table 3.2a`. */
const NUMBER = /^[\d.IVXL-]*(?<![.-])(?:[a-z](?!\p{L}))?/u;
/** A caption goes on with a sign, or with a title; `Table 3 shows` and `Table 3 IBM had more.` are sentences. */
const SIGN = /^\s*[:：.．|–—-]/u;
const TITLE = /^\s*(?:\(|\p{Lu}|\p{N}|$)/u;
const SENTENCE = /[.…!?]\s*$/u;
/** These have other meanings before a number, `Plate 7 Main Street`, or no capitals by which a title is known. */
const NEEDS_SIGN = /^(?:(?:box|plate|tab|photo|chart)[\s\d]|\p{Lo})/iu;
/** In Chinese and Japanese, a space does for the sign; what is long or has signs of a sentence is one, or its beginning. */
const HAN = /^[图圖表]/u;
const HAN_TITLE = /^\s+[^：:、，,；;。]{1,60}(?<![．！？.!?])$/u;
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
    if (label === undefined) return element;
    const rest = content.slice(label.length).replace(NUMBER, '');
    const isTitled = TITLE.test(rest) && !SENTENCE.test(rest) && !NEEDS_SIGN.test(label);
    const isHanTitle = HAN.test(label) && HAN_TITLE.test(rest.trimEnd());
    return SIGN.test(rest) || isTitled || isHanTitle ? { ...element, role: 'caption' } : element;
  });
}
