import { lowered, raised } from '../inline/raised.ts';
import { type MarkupElement, textOf } from '../markup/parse-markup.ts';

/** For other programs. */
const SKIPPED = new Set(['annotation', 'annotation-xml', 'mphantom']);
/** Signs between factors and around arguments that are not displayed. */
const INVISIBLE = /[\u2061-\u2064\u00AD]/g;

/** A formula of MathML on one line, as people type it: `(a+b)/2`, `10⁶`, `√(x)`. */
export function mathText(node: MarkupElement): string {
  const parts = node.children.flatMap((child) => {
    if (typeof child === 'string') return child.trim() === '' ? [] : [child.trim()];
    return SKIPPED.has(child.name) ? [] : [mathText(child)];
  });
  const [base = '', second = '', third = ''] = parts;
  switch (node.name) {
    case 'mi':
    case 'mn':
    case 'mo':
    case 'ms':
      return textOf(node).replaceAll(/\s+/g, ' ').replaceAll(INVISIBLE, '').trim();
    case 'mtext':
      return textOf(node).replaceAll(/\s+/g, ' ');
    case 'mspace':
      return ' ';
    case 'mfrac':
      return `${grouped(base)}/${grouped(second)}`;
    case 'msqrt':
      return `√${grouped(parts.join(''))}`;
    case 'mroot':
      return `${up(second)}√${grouped(base)}`;
    case 'msup':
    case 'mover':
      return base + up(second);
    case 'msub':
    case 'munder':
      return base + down(second, base);
    case 'msubsup':
    case 'munderover':
      return base + down(second, base) + up(third);
    case 'mtable':
      return `[${parts.join('; ')}]`;
    case 'mtr':
    case 'mlabeledtr':
      return parts.join(', ');
    default:
      return parts.join('');
  }
}

/** In brackets, unless it is a single number or sign. */
const grouped = (text: string): string => (/^(?:[\d.,]*|.)$/u.test(text) ? text : `(${text})`);

function up(text: string): string {
  const form = raised(text);
  return form === text && /[\p{L}\p{N}]/u.test(text) ? `^${grouped(text)}` : form;
}

function down(text: string, before: string): string {
  const form = lowered(text, before.slice(-2));
  if (form !== text || /^\d*$/.test(text)) return form;
  return /^\p{L}+$/u.test(text) ? `_${text}` : `_${grouped(text)}`;
}
