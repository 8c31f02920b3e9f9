/** The text of an OpenDocument as elements. The file is long because lists, tables and frames hold each other. */
import { type ElementRole, onOneLine, type Textual } from '../document/element.ts';
import { ElementList } from '../flow/element-list.ts';
import { type CellCount, type SpanningCell, tableOfCells } from '../flow/grid.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { UNMARKED } from '../inline/inline-marks.ts';
import { cleanText } from '../layout/plain-text.ts';
import { childAt, childrenOf, descendants, type MarkupElement, textOf } from '../markup/parse-markup.ts';
import { UnreadableDocument } from '../opened-document.ts';
import { type Inline, type OdfContext, readInline } from './inline.ts';
import { ListNumbers, type OpenList } from './lists.ts';
import type { Style } from './styles.ts';

/** What the walk of a text is given. */
export interface TextSource extends Omit<OdfContext, 'noteMark' | 'remark'> {
  cells: CellCount;
  /** The root of an embedded object, such as a chart. */
  object(reference: string): MarkupElement | undefined;
  /** A paragraph, or a table, asks for a new page. @param master of its pages, if it names one */
  pageBreak?(master: string | undefined): void;
}

/** Blocks that merely hold others. */
const HOLDERS = new Set(
  `section index-body table-of-content illustration-index table-index object-index user-index alphabetical-index
  bibliography index-title numbered-paragraph text-box`.split(/\s+/),
);
/** Rows and columns that a cell may be repeated in, in a table of a text. */
const MOST_REPEATED = 1_000;

/** Turns blocks of a text into elements, in their order. The class has the counts of lists and notes. */
export class OdfText {
  readonly #source: TextSource;
  readonly #numbers: ListNumbers;
  readonly #inline: OdfContext;
  readonly #elements = new ElementList();
  #notes: { node: MarkupElement; mark: string; role: ElementRole }[] = [];
  #noteCount = 0;

  constructor(source: TextSource) {
    this.#source = source;
    this.#numbers = new ListNumbers(source.styles);
    this.#inline = {
      ...source,
      noteMark: (node) => {
        this.#noteCount += 1;
        const mark = `[${textOf(childAt(node, 'note-citation')).trim() || this.#noteCount}]`;
        const body = childAt(node, 'note-body');
        if (body) this.#notes.push({ node: body, mark, role: 'footnote' });
        return mark;
      },
      remark: (node) => this.#notes.push({ node, mark: '', role: 'notes' }),
    };
  }

  /** The elements of blocks. */
  read(parent: MarkupElement): void {
    for (const block of childrenOf(parent)) this.#block(block);
  }

  /** What has been read, with its notes at the end. */
  take(): FlowElement[] {
    this.#elements.endRun();
    for (const { node, mark, role } of this.#notes.splice(0)) {
      const content = `${mark} ${this.lines(node).join('\n')}`.trim();
      if (content !== mark) this.#push({ type: 'paragraph', content, role });
    }
    return this.#elements.take().map((element) => this.#source.marks.separate(element));
  }

  /** Whether something has been read since the last `take`. */
  get isEmpty(): boolean {
    return this.#elements.isEmpty;
  }

  /** The lines of paragraphs and lists below a node, for places that have no elements of their own. @param later what stands after them */
  lines(node: MarkupElement, later?: MarkupElement[], outer?: OpenList, depth = 0): string[] {
    return childrenOf(node).flatMap((block): string[] => {
      const { name } = block;
      if (name === 'p' || name === 'h') {
        const { text, anchored } = this.#paragraph(block);
        later?.push(...anchored);
        return clean(text) === '' ? [] : clean(text).split('\n');
      }
      if (name === 'list') {
        const list = this.#numbers.open(block, outer);
        return childrenOf(block).flatMap((item) => {
          const marker =
            item.name === 'list-item'
              ? this.#numbers.next(list, depth + 1, item.attributes['text:start-value'])
              : '';
          const [first, ...others] = this.lines(item, later, list, depth + 1);
          return first === undefined ? [] : [`${marker} ${first}`.trim(), ...others];
        });
      }
      if (name === 'table' || name === 'frame') {
        later?.push(block);
        return [];
      }
      return this.#isHidden(block) || name === 'annotation' ? [] : this.lines(block, later, outer, depth);
    });
  }

  /** The lines of a cell of a sheet; its remarks become notes, and its frames elements. */
  cellLines(cell: MarkupElement): string[] {
    for (const remark of childrenOf(cell, 'annotation')) this.#inline.remark(remark);
    const frames: MarkupElement[] = [];
    const lines = this.lines(cell, frames);
    for (const frame of frames) this.frame(frame);
    const { struck = false } = this.#source.styles.of('table-cell', cell.attributes['table:style-name']);
    const { begin, end } = struck ? this.#source.marks.struck : UNMARKED;
    return lines.map((line) => `${begin}${line}${end}`);
  }

  #paragraph(block: MarkupElement): Inline {
    const style = this.#source.styles.of('paragraph', block.attributes['text:style-name']);
    return style.hidden ? { text: '', anchored: [] } : readInline(block, style, this.#inline);
  }

  #isHidden({ attributes }: MarkupElement): boolean {
    return (
      attributes['text:display'] === 'none' ||
      (attributes['text:display'] === 'condition' && attributes['text:is-hidden'] === 'true')
    );
  }

  #block(block: MarkupElement): void {
    const { name, attributes } = block;
    switch (name) {
      case 'p':
      case 'h':
        return this.#textBlock(block);
      case 'list':
        this.#elements.endRun();
        this.#list(block, undefined, 0);
        return this.#elements.endRun();
      case 'table':
        return this.#table(block);
      case 'a':
      case 'g':
      case 'tracked-changes':
        return name === 'tracked-changes' ? undefined : this.read(block);
      case 'table-of-content-source':
        return;
      default:
        if (HOLDERS.has(name)) return this.#isHidden(block) ? undefined : this.read(block);
        if (name === 'frame' || attributes['draw:style-name'] !== undefined) this.frame(block);
    }
  }

  #textBlock(block: MarkupElement): void {
    const style = this.#source.styles.of('paragraph', block.attributes['text:style-name']);
    this.#breakBefore(style);
    const { text, anchored } = this.#paragraph(block);
    const content = clean(text);
    if (style.isListing && block.name === 'p') {
      this.#elements.addLine(cleanText(text).trimEnd());
    } else {
      this.#elements.endRun();
      const level = levelOf(block, style);
      const isNumbered = block.name === 'h' && block.attributes['text:is-list-header'] !== 'true';
      const number = level !== undefined && isNumbered && content !== '' ? this.#numbers.heading(level) : '';
      if (level !== undefined)
        this.#push({ type: 'heading', content: `${number} ${onOneLine(content)}`.trim(), level });
      else this.#push({ type: 'paragraph', content });
    }
    for (const node of anchored) this.frame(node);
  }

  #breakBefore({ breakBefore = false, masterPage }: Style): void {
    if (!breakBefore && masterPage === undefined) return;
    this.#source.pageBreak?.(masterPage);
  }

  #list(node: MarkupElement, outer: OpenList | undefined, depth: number): void {
    const list = this.#numbers.open(node, outer);
    for (const item of childrenOf(node)) {
      let marker = item.name === 'list-item' ? undefined : '-';
      let isFirst = true;
      for (const block of childrenOf(item)) {
        if (block.name === 'list') {
          this.#list(block, list, depth + 1);
          continue;
        }
        if (block.name !== 'p' && block.name !== 'h') {
          if (block.name === 'number') continue;
          this.#elements.endRun();
          this.#block(block);
          continue;
        }
        const style = this.#source.styles.of('paragraph', block.attributes['text:style-name']);
        this.#breakBefore(style);
        marker ??= this.#numbers.next(list, depth + 1, item.attributes['text:start-value']);
        const { text, anchored } = this.#paragraph(block);
        const content = clean(text);
        const level = levelOf(block, style);
        const last = this.#elements.lastItem;
        if (level !== undefined) {
          this.#elements.endRun();
          const number = marker === '-' ? '' : marker;
          this.#push({ type: 'heading', content: `${number} ${onOneLine(content)}`.trim(), level });
        } else if (!isFirst && last) last.text += ` ${onOneLine(content)}`;
        else if (content !== '') this.#elements.addItem({ marker, text: onOneLine(content), depth });
        isFirst = false;
        if (anchored.length > 0) this.#elements.endRun();
        for (const each of anchored) this.frame(each);
      }
    }
  }

  /** A frame, or a shape with text. */
  frame(node: MarkupElement): void {
    this.#elements.endRun();
    if (!isDrawn(node)) return;
    const box = childAt(node, 'text-box');
    const table = childAt(node, 'table');
    const object = childAt(node, 'object');
    const root =
      object &&
      (childrenOf(object).find(({ name }) => name !== 'p') ??
        this.#source.object(object.attributes['xlink:href'] ?? ''));
    if (node.name === 'g') for (const each of childrenOf(node)) this.#block(each);
    else if (box) this.read(box);
    else if (table) this.#table(table);
    else if (root) this.#object(root, node);
    else if (childAt(node, 'image') ?? object) this.#figure(node);
    else
      for (const each of childrenOf(node)) if (each.name === 'p' || each.name === 'list') this.#block(each);
  }

  #figure(node: MarkupElement): void {
    const [title, description] = ['title', 'desc'].map((name) => clean(textOf(childAt(node, name))));
    this.#elements.endRun();
    const picture = childAt(node, 'image')?.attributes['xlink:href']?.replace(/^\.\//, '');
    const content = [title, description].filter(Boolean).join(': ');
    this.#elements.add({ type: 'figure', content, ...(picture !== undefined && { picture }) });
  }

  /** A chart is its title and values, a formula its text, a sheet its table. */
  #object(root: MarkupElement, frame: MarkupElement): void {
    const chart = [...descendants(root, 'chart')].at(-1);
    const [formula] = descendants(root, 'annotation');
    const [table] = [...descendants(root, 'table')].filter(({ children }) => children.length > 0);
    if (chart)
      this.#push({ type: 'paragraph', content: this.lines(childAt(chart, 'title') ?? EMPTY).join(' ') });
    if (table) this.#table(table);
    else if (formula) this.#push({ type: 'paragraph', content: clean(textOf(formula)) });
    else this.#figure(frame);
  }

  #table(node: MarkupElement): void {
    const { styles, cells: count } = this.#source;
    const style = styles.of('table', node.attributes['table:style-name']);
    if (style.isShown === false) return;
    this.#breakBefore(style);
    this.#elements.endRun();
    const later: MarkupElement[] = [];
    let headerRows = 0;
    const rows: SpanningCell[][] = [];
    const found = [...rowsOf(node)];
    const only = found.length === 1 && childrenOf(found[0]?.row).filter(isCell);
    // A table of one cell merely frames what it contains.
    if (
      only &&
      only.length === 1 &&
      only[0] &&
      !(Number(only[0].attributes['table:number-columns-repeated']) > 1)
    )
      return this.read(only[0]);
    for (const { row, isHeader } of found) {
      const cells = childrenOf(row)
        .filter(isCell)
        .flatMap((cell, at, all) => {
          const of = (name: string): number =>
            Number.parseInt(cell.attributes[`table:number-${name}`] ?? '1', 10) || 1;
          const text = this.lines(cell, later).join('\n');
          const times = of('columns-repeated');
          // Embedded sheets fill their rows.
          if (text === '' && times > 1 && at === all.length - 1) return [];
          const own = { text, rows: of('rows-spanned'), columns: of('columns-spanned') };
          return Array.from({ length: checkedRepeats(times) }, () => own);
        });
      const times = Number.parseInt(row.attributes['table:number-rows-repeated'] ?? '1', 10) || 1;
      if (times > 1 && cells.every(({ text }) => text === '')) continue;
      for (let at = 0; at < checkedRepeats(times); at++) {
        if (cells.length > 0) rows.push(cells);
        if (isHeader && headerRows === rows.length - 1) headerRows += 1;
      }
    }
    this.#elements.add(...tableOfCells(rows, count, { headerRows: Math.max(1, headerRows) }));
    for (const each of later)
      if (each.name === 'table') this.#table(each);
      else this.frame(each);
  }

  #push(element: Textual): void {
    this.#elements.endRun();
    if (element.content !== '') this.#elements.add(element);
  }
}

/** Whether a shape is shown. */
export const isDrawn = ({ attributes }: MarkupElement): boolean =>
  (attributes['draw:display'] ?? attributes['drawooo:display']) !== 'none';

const EMPTY: MarkupElement = { name: '', attributes: {}, children: [] };
const isCell = ({ name }: MarkupElement): boolean => name === 'table-cell';

/** @throws UnreadableDocument for a table that no page can show */
function checkedRepeats(times: number): number {
  if (times <= MOST_REPEATED) return times;
  throw new UnreadableDocument('too_large', `A cell of the document is repeated ${times} times.`);
}

/** The rows of a table through what groups them. */
export function* rowsOf(
  table: MarkupElement,
  isHeader = false,
  isGrouped = false,
): Generator<{ row: MarkupElement; isHeader: boolean; isGrouped: boolean }> {
  for (const node of childrenOf(table)) {
    if (node.name === 'table-row') yield { row: node, isHeader, isGrouped };
    else if (/^table-(?:header-rows|rows|row-group)$/.test(node.name))
      yield* rowsOf(
        node,
        isHeader || node.name === 'table-header-rows',
        isGrouped || node.name === 'table-row-group',
      );
  }
}

function levelOf({ name, attributes }: MarkupElement, { isTitle, outlineLevel }: Style): number | undefined {
  if (name === 'h') return Math.max(1, Math.min(9, Number(attributes['text:outline-level'] ?? 1) || 1));
  return isTitle ? 1 : outlineLevel;
}

const clean = (text: string): string => cleanText(text).replaceAll(/ {2,}/g, ' ').trim();
