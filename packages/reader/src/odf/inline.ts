import { inFont } from '../inline/symbol-fonts.ts';
import { type InlineMarks, UNMARKED } from '../inline/inline-marks.ts';
import { lowered, raised } from '../inline/raised.ts';
import { childAt, childrenOf, descendants, type MarkupElement, textOf } from '../markup/parse-markup.ts';
import type { Style, Styles } from './styles.ts';

/** What a document has for all its paragraphs. */
export interface OdfContext {
  styles: Styles;
  marks: InlineMarks;
  /** What the controls of forms show, by their id. */
  controls: ReadonlyMap<string, string>;
  /** Takes a note, and returns its mark in the text. */
  noteMark(note: MarkupElement): string;
  /** Takes a remark, which has no mark in the text. */
  remark(annotation: MarkupElement): void;
}

/** The text of a paragraph, and what is anchored to it: frames, shapes, tables of text. */
export interface Inline {
  text: string;
  anchored: MarkupElement[];
}

/** Elements whose content is no text of the paragraph: what is hidden or deleted, prompts, and instructions. */
const SILENT = new Set(
  `annotation-end forms hidden-text hidden-paragraph placeholder script sequence-decls tracked-changes
  user-field-decls variable-decls event-listeners note-citation`.split(/\s+/),
);
const DRAWN = new Set(
  `frame g custom-shape rect line polyline polygon regular-polygon path circle ellipse connector caption page-thumbnail
  measure`.split(/\s+/),
);
/** Spaces that one element stands for. */
const MOST_SPACES = 1_000;

/** @param own style of the paragraph */
export function readInline(paragraph: MarkupElement, own: Style, context: OdfContext): Inline {
  const { styles, marks } = context;
  const anchored: MarkupElement[] = [];
  let text = '';
  const visit = (node: MarkupElement, look: Style): void => {
    for (const one of node.children) {
      if (typeof one !== 'string') element(one, look);
      // A row of white space is one space.
      else write(one.replaceAll(/[ \t\r\n]+/g, ' '), look);
    }
  };
  const write = (given: string, { struck = false, height, font }: Style): void => {
    const part = inFont(given, font);
    const placed =
      height === 'super' ? raised(part) : height === 'sub' ? lowered(part, text.slice(-2)) : part;
    const { begin, end } = struck && part !== '' ? marks.struck : UNMARKED;
    text += `${begin}${placed}${end}`;
  };
  const element = (node: MarkupElement, look: Style): void => {
    const { name, attributes } = node;
    // The prompt of an empty control is no text of the document.
    if (SILENT.has(name) || attributes['loext:showing-place-holder'] === 'true') return;
    if (DRAWN.has(name)) return void anchored.push(node);
    switch (name) {
      case 's':
        return write(' '.repeat(Math.min(MOST_SPACES, Number(attributes['text:c'] ?? 1) || 1)), look);
      case 'tab':
        return write('\t', look);
      case 'line-break':
        return write('\n', look);
      case 'span': {
        const style = { ...look, ...styles.of('text', attributes['text:style-name']) };
        return style.hidden ? undefined : visit(node, style);
      }
      case 'a': {
        if (childrenOf(node).some((child) => DRAWN.has(child.name))) return visit(node, look);
        const { begin, end } = marks.link(attributes['xlink:href'] ?? '');
        text += begin;
        visit(node, look);
        text += end;
        return;
      }
      case 'note':
        return write(context.noteMark(node), {});
      case 'annotation':
        return context.remark(node);
      case 'ruby': {
        visit(childAt(node, 'ruby-base') ?? node, look);
        return write(`(${textOf(childAt(node, 'ruby-text'))})`, look);
      }
      case 'control':
        return write(context.controls.get(attributes['draw:control'] ?? '') ?? '', look);
      case 'conditional-text':
      case 'hidden':
        return attributes['text:is-hidden'] === 'true' ? undefined : visit(node, look);
      default:
        visit(node, look);
    }
  };
  visit(paragraph, own);
  return { text, anchored };
}

/** What the controls of the forms of a document show: values, choices, and boxes with their labels. */
export function controlsOf(body: MarkupElement | undefined): Map<string, string> {
  const values = new Map<string, string>();
  for (const forms of descendants(body, 'forms')) {
    for (const name of [
      'text',
      'textarea',
      'formatted-text',
      'number',
      'date',
      'time',
      'combobox',
      'checkbox',
      'radio',
      'listbox',
    ]) {
      for (const { attributes, children } of descendants(forms, name)) {
        const id = attributes['form:id'] ?? attributes['xml:id'] ?? '';
        const isOn =
          attributes['form:current-state'] ?? attributes['form:current-selected'] ?? attributes['form:state'];
        const chosen = children.find(
          (child) => typeof child !== 'string' && child.attributes['form:current-selected'] === 'true',
        );
        const value =
          name === 'checkbox' || name === 'radio'
            ? `${isOn === 'checked' || isOn === 'true' ? '☒' : '☐'} ${attributes['form:label'] ?? ''}`.trim()
            : typeof chosen === 'object'
              ? chosen.attributes['form:label']
              : (attributes['form:current-value'] ?? attributes['form:value']);
        if (value !== undefined) values.set(id, value);
      }
    }
  }
  return values;
}
