import type { ElementRole, ListItem, Paragraph } from '../document/element.ts';
import { type CellCount, type SpanningCell, tableOf, tableOfCells } from '../flow/grid.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';
import { childAt, childrenOf, descendants, type MarkupElement, textOf } from '../markup/parse-markup.ts';
import { relationOf } from '../markup/xml-parts.ts';
import { isTitle, type Shape } from './slide-shapes.ts';

/** Placeholders of lines that many slides have. */
const RUNNING = new Set(['dt', 'ftr', 'hdr', 'sldNum']);

/** @param parts the parts that the slide shows by reference, such as charts, by id */
export function shapeElements(
  shape: Shape,
  parts: ReadonlyMap<string, MarkupElement>,
  cells: CellCount,
): FlowElement[] {
  const { node, placeholder } = shape;
  if (node.name === 'pic') return figureOf(node);
  if (node.name === 'graphicFrame') return graphicElements(node, parts, cells);
  const body = childAt(node, 'txBody');
  const paragraphs = paragraphsOf(body);
  if (isTitle(shape)) {
    const content = paragraphs.map(({ text }) => text).join(' ');
    return content.trim() === '' ? [] : [{ type: 'heading', content, level: 1 }];
  }
  if (placeholder !== undefined && RUNNING.has(placeholder))
    return plain(paragraphs, placeholder === 'hdr' ? 'page_header' : 'page_footer');
  return textElements(paragraphs, placeholder === 'body' || placeholder === 'obj');
}

/** The speaker's notes, without the picture of the slide and the lines of the page. */
export function notesElements(notes: MarkupElement | undefined): FlowElement[] {
  return childrenOf(childAt(notes, 'cSld', 'spTree'), 'sp')
    .filter((node) => childAt(node, 'nvSpPr', 'nvPr', 'ph')?.attributes['type'] === 'body')
    .flatMap((node) => plain(paragraphsOf(childAt(node, 'txBody')), 'notes'));
}

interface TextParagraph {
  text: string;
  /** Level of indentation, from 0. */
  level: number;
  /** Whether it has a bullet or a number; undefined if its placeholder decides. */
  marked: 'bullet' | 'number' | 'none' | undefined;
}

function paragraphsOf(body: MarkupElement | undefined): TextParagraph[] {
  return childrenOf(body, 'p')
    .map((paragraph) => {
      const style = childAt(paragraph, 'pPr');
      const has = (name: string): boolean => childAt(style, name) !== undefined;
      const level = Number(style?.attributes['lvl'] ?? 0);
      const marked = has('buNone')
        ? ('none' as const)
        : has('buAutoNum')
          ? ('number' as const)
          : has('buChar') || has('buBlip')
            ? ('bullet' as const)
            : undefined;
      return { text: lineOf(paragraph), level: level >= 0 && level <= 8 ? level : 0, marked };
    })
    .filter(({ text }) => text !== '');
}

/** The runs, fields and breaks of a paragraph. */
function lineOf(paragraph: MarkupElement): string {
  const parts = childrenOf(paragraph).map((child): string => {
    if (child.name === 'br') return '\n';
    if (child.name === 'r' || child.name === 'fld') return textOf(childAt(child, 't'));
    if (child.name === 'AlternateContent') return lineOf(childAt(child, 'Choice') ?? child);
    return child.name === 'm' || child.name === 'oMath'
      ? [...descendants(child, 't')].map(textOf).join('')
      : '';
  });
  return cleanText(parts.join('').replaceAll('\v', '\n')).trim();
}

function plain(paragraphs: readonly TextParagraph[], role?: ElementRole): Paragraph[] {
  return paragraphs.map(({ text }) => ({ type: 'paragraph', content: text, ...(role && { role }) }));
}

/** Neighbouring paragraphs with bullets or numbers are a list. @param bulleted whether paragraphs have bullets by default */
function textElements(paragraphs: readonly TextParagraph[], bulleted: boolean): FlowElement[] {
  const byDefault = bulleted && paragraphs.length > 1 ? 'bullet' : 'none';
  const elements: FlowElement[] = [];
  let items: ListItem[] = [];
  let numbers: number[] = [];
  const endList = (): void => {
    if (items.length > 0) elements.push({ type: 'list', items });
    items = [];
    numbers = [];
  };
  for (const paragraph of paragraphs) {
    const { text, level, marked = byDefault } = paragraph;
    if (marked === 'none') {
      endList();
      elements.push(...plain([paragraph]));
      continue;
    }
    numbers = numbers.slice(0, level + 1);
    numbers[level] = marked === 'number' ? (numbers[level] ?? 0) + 1 : 0;
    items.push({ marker: marked === 'number' ? `${numbers[level]}.` : '-', text, depth: level });
  }
  endList();
  return elements;
}

function figureOf(node: MarkupElement): FlowElement[] {
  const { descr = '' } = childAt(node, 'nvPicPr', 'cNvPr')?.attributes ?? {};
  // Programs that import pictures note only the file's name.
  const content = /^\S+\.\w{3,4}$/.test(descr.trim()) ? '' : cleanText(descr).trim();
  return [{ type: 'figure', content }];
}

function graphicElements(
  node: MarkupElement,
  parts: ReadonlyMap<string, MarkupElement>,
  cells: CellCount,
): FlowElement[] {
  const data = childAt(node, 'graphic', 'graphicData');
  const table = childAt(data, 'tbl');
  if (table) return tableOfCells(cellsOf(table), cells);
  const shown = (name: string, attribute: string): MarkupElement | undefined => {
    const element = childAt(data, name);
    return element && parts.get(relationOf(element, attribute));
  };
  const chart = shown('chart', 'id');
  if (chart) return chartElements(chart, cells);
  const diagram = shown('relIds', 'dm');
  return [...descendants(diagram, 'p')].flatMap((paragraph): FlowElement[] => {
    const content = lineOf(paragraph);
    return content === '' ? [] : [{ type: 'paragraph', content }];
  });
}

/** The cells of each row, without those that others cover. */
function cellsOf(table: MarkupElement): SpanningCell[][] {
  return childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc')
      .filter(({ attributes }) => !isTrue(attributes['hMerge']) && !isTrue(attributes['vMerge']))
      .map((cell) => ({
        text: paragraphsOf(childAt(cell, 'txBody'))
          .map((paragraph) => paragraph.text)
          .join('\n'),
        rows: Number(cell.attributes['rowSpan'] ?? 1) || 1,
        columns: Number(cell.attributes['gridSpan'] ?? 1) || 1,
      })),
  );
}

const isTrue = (flag: string | undefined): boolean => /^(?:1|true)$/.test(flag ?? '');

/** The title of a chart, and its stored values: a row for each category, a column for each series. */
function chartElements(chart: MarkupElement, count: CellCount): FlowElement[] {
  const [title] = descendants(chart, 'title');
  const heading = [...descendants(title, 'p')].map(lineOf).join(' ').trim();
  const series = [...descendants(chart, 'ser')];
  const names = series.map((each) => pointsOf(childAt(each, 'tx'))[0] ?? '');
  const values = series.map((each) => pointsOf(childAt(each, 'val') ?? childAt(each, 'yVal')));
  const categories = pointsOf(childAt(series[0], 'cat') ?? childAt(series[0], 'xVal'));
  const length = values.reduce((most, column) => Math.max(most, column.length), categories.length);
  const rows = Array.from({ length }, (_, at) => [
    categories[at] ?? '',
    ...values.map((column) => column[at] ?? ''),
  ]);
  const grid = [['', ...names], ...rows];
  for (const cell of grid.flat()) count.add(cell);
  return [
    ...(heading === '' ? [] : [{ type: 'paragraph' as const, content: heading }]),
    ...(length === 0 ? [] : tableOf(grid)),
  ];
}

function pointsOf(source: MarkupElement | undefined): string[] {
  return [...descendants(source, 'pt')].map((point) => cleanText(textOf(childAt(point, 'v'))).trim());
}
