import { lowered, raised } from '../inline/raised.ts';
import { childrenOf, type MarkupElement, textOf } from '../markup/parse-markup.ts';

/** For other programs. */
const SKIPPED = new Set(['annotation', 'annotation-xml', 'mphantom']);
/** Signs between factors and around arguments that are not displayed. */
const INVISIBLE = /[\u2062-\u2064\u00AD]/g;
/** Between a function and its argument, which has a blank before it unless it is in brackets. */
const APPLIED = /\u2061(?=([\p{L}\p{N}√]?))/gu;

/** A formula of MathML on one line, as people type it: `(a+b)/2`, `10⁶`, `√(x)`. */
export function mathText(node: MarkupElement): string {
  const parts = node.children.flatMap((child) => {
    if (typeof child === 'string') return child.trim() === '' ? [] : [child.trim()];
    return SKIPPED.has(child.name) ? [] : [mathText(child)];
  });
  const [base = '', second = '', third = ''] = parts;
  /** A fraction with a power is in brackets. */
  const powered = childrenOf(node)[0]?.name === 'mfrac' ? `(${base})` : base;
  switch (node.name) {
    case 'math': {
      const text = inRow(parts).replaceAll(APPLIED, (_, next) => (next === '' ? '' : ' '));
      return node.attributes['display'] === 'block' ? `\n${text}\n` : text;
    }
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
      return `√${grouped(inRow(parts))}`;
    case 'mroot':
      return `${up(second)}√${grouped(base)}`;
    case 'msup':
    case 'mover':
      return powered + up(second);
    case 'msub':
    case 'munder':
      return base + down(second, base);
    case 'msubsup':
    case 'munderover':
      return powered + down(second, base) + up(third);
    case 'mtable':
      return `[${parts.join('; ')}]`;
    case 'mtr':
    case 'mlabeledtr':
      return parts.join(', ');
    case 'mfenced': {
      const { open = '(', close = ')', separators = ',' } = node.attributes;
      return open + parts.join(separators.trim().charAt(0)) + close;
    }
    default:
      return inRow(parts);
  }
}

const inRow = (parts: readonly string[]): string => parts.reduce(withFormula, '');

/** A text with the formula after it: a blank parts a fraction from the digit before it. */
export const withFormula = (text: string, formula: string): string =>
  text + (/\d$/.test(text) && /^\d[\d.,]*\//.test(formula) ? ' ' : '') + formula;

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
