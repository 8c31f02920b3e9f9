/** HTML, or a tree that another parser has made, into elements. */
export { type Extent, htmlElements } from './html-elements.ts';
export { decodeMarkup } from '../text/decode-text.ts';
export { type MarkupElement, MarkupTree } from '../markup/parse-markup.ts';
