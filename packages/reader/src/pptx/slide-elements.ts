import type { ElementRole, ListItem, Paragraph } from '../document/element.ts';
import { inFont } from '../inline/symbol-fonts.ts';
import { type CellCount, type SpanningCell, tableOf, tableOfCells } from '../flow/grid.ts';
import { numeral } from '../flow/numeral.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { type InlineMarks, UNMARKED } from '../inline/inline-marks.ts';
import { lowered, raised } from '../inline/raised.ts';
import { cleanText } from '../layout/plain-text.ts';
import {
  childAt,
  childrenOf,
  descendants,
  type MarkupElement,
  textOf,
  unescaped,
} from '../markup/parse-markup.ts';
import { relationOf } from '../markup/xml-parts.ts';
import type { Shape } from './slide-shapes.ts';

/** Placeholders of lines that many slides have. */
const RUNNING = new Set(['dt', 'ftr', 'hdr', 'sldNum']);

/** How text is marked, and the addresses of links by the id of their relationship. */
export interface Looks {
  marks: InlineMarks;
  targets: ReadonlyMap<string, string>;
}

/** What the shapes of a slide refer to. */
interface Slide {
  /** The parts that it shows, such as charts, by the id of their relationship. */
  parts: ReadonlyMap<string, MarkupElement>;
  /** The names of its pictures in the archive, likewise. */
  pictures: ReadonlyMap<string, string>;
  cells: CellCount;
  looks: Looks;
}

export function shapeElements({ node, placeholder, isTitle }: Shape, slide: Slide): FlowElement[] {
  if (node.name === 'pic') return figureOf(node, slide);
  if (node.name === 'graphicFrame') return graphicElements(node, slide);
  const body = childAt(node, 'txBody');
  const paragraphs = paragraphsOf(body, slide.looks);
  if (isTitle) {
    const content = paragraphs.map(({ text }) => text).join(' ');
    return content.trim() === '' ? [] : [{ type: 'heading', content, level: 1 }];
  }
  if (placeholder !== undefined && RUNNING.has(placeholder))
    return plain(paragraphs, placeholder === 'hdr' ? 'page_header' : 'page_footer');
  return textElements(paragraphs, placeholder === 'body' || placeholder === 'obj');
}

/** The speaker's notes, without the picture of the slide and the lines of the page. */
export function notesElements(notes: MarkupElement | undefined, looks: Looks): FlowElement[] {
  return childrenOf(childAt(notes, 'cSld', 'spTree'), 'sp')
    .filter((node) => childAt(node, 'nvSpPr', 'nvPr', 'ph')?.attributes['type'] === 'body')
    .flatMap((node) => plain(paragraphsOf(childAt(node, 'txBody'), looks), 'notes'));
}

/** The remarks on a slide, of older programs as text, of newer ones as paragraphs. */
export function commentElements(comments: MarkupElement | undefined): FlowElement[] {
  return [...descendants(comments, 'cm')].flatMap((comment): FlowElement[] => {
    const texts = [...descendants(comment, 't'), ...childrenOf(comment, 'text')].map((each) =>
      unescaped(textOf(each)),
    );
    const content = cleanText(texts.join(' ')).trim();
    return content === '' ? [] : [{ type: 'paragraph', content, role: 'notes' }];
  });
}

interface TextParagraph {
  text: string;
  /** Level of indentation, from 0. */
  level: number;
  /** Whether it has a bullet or a number; undefined if its placeholder decides. */
  marked: 'bullet' | 'number' | 'none' | undefined;
  /** How its number is shown, such as `alphaLcParenR`, and the first of its list. */
  scheme: string;
  startAt: number;
}

function paragraphsOf(body: MarkupElement | undefined, looks: Looks): TextParagraph[] {
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
      const { type: scheme = 'arabicPeriod', startAt = '1' } = childAt(style, 'buAutoNum')?.attributes ?? {};
      return {
        text: lineOf(paragraph, looks),
        level: level >= 0 && level <= 8 ? level : 0,
        marked,
        scheme,
        startAt: Number.parseInt(startAt, 10) || 1,
      };
    })
    .filter(({ text }) => text !== '');
}

/** The runs, fields and breaks of a paragraph. */
function lineOf(paragraph: MarkupElement, looks: Looks): string {
  const line = childrenOf(paragraph).reduce((text, child): string => {
    if (child.name === 'br') return `${text}\n`;
    if (child.name === 'r' || child.name === 'fld') return text + runOf(child, looks, text.slice(-2));
    if (child.name === 'AlternateContent') return text + lineOf(childAt(child, 'Choice') ?? child, looks);
    return child.name === 'm' || child.name === 'oMath'
      ? text + [...descendants(child, 't')].map(textOf).join('')
      : text;
  }, '');
  return cleanText(line.replaceAll('\v', '\n')).trim();
}

/** A run with its look. @param before the text that it follows */
function runOf(run: MarkupElement, { marks, targets }: Looks, before: string): string {
  const properties = childAt(run, 'rPr');
  const font = childAt(properties, 'sym') ?? childAt(properties, 'latin');
  const text = inFont(unescaped(textOf(childAt(run, 't'))), font?.attributes['typeface']);
  const { baseline = '0', strike = 'noStrike' } = properties?.attributes ?? {};
  const height = Number.parseInt(baseline, 10);
  const placed = height > 0 ? raised(text) : height < 0 ? lowered(text, before) : text;
  const clicked = childAt(properties, 'hlinkClick');
  const link = clicked ? marks.link(targets.get(relationOf(clicked)) ?? '') : UNMARKED;
  const struck = strike === 'noStrike' ? UNMARKED : marks.struck;
  return `${link.begin}${struck.begin}${placed}${struck.end}${link.end}`;
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
    const { text, level, marked = byDefault, scheme, startAt } = paragraph;
    if (marked === 'none') {
      endList();
      elements.push(...plain([paragraph]));
      continue;
    }
    numbers = numbers.slice(0, level + 1);
    const before = numbers[level] ?? 0;
    const number = marked === 'number' ? Math.max(before + 1, startAt) : 0;
    numbers[level] = number;
    items.push({ marker: number > 0 ? numberOf(number, scheme) : '-', text, depth: level });
  }
  endList();
  return elements;
}

const SCHEME =
  /^(alphaLc|alphaUc|romanLc|romanUc|arabic|arabicDb|circleNumDb|circleNumWd(?:Black|White)|ea1(?:Chs|Cht|JpnKor)|thaiAlpha|thaiNum|hindiNum)(ParenBoth|ParenR|Period|Plain)$/;
const FORMATS: Readonly<Record<string, string>> = {
  alphaLc: 'lowerLetter',
  alphaUc: 'upperLetter',
  romanLc: 'lowerRoman',
  romanUc: 'upperRoman',
  arabicDb: 'decimalFullWidth',
  circleNumDb: 'decimalEnclosedCircle',
  circleNumWdBlack: 'decimalEnclosedCircle',
  circleNumWdWhite: 'decimalEnclosedCircle',
  ea1Chs: 'chineseCounting',
  ea1Cht: 'chineseCounting',
  ea1JpnKor: 'chineseCounting',
  thaiAlpha: 'thaiLetters',
  thaiNum: 'thaiNumbers',
  hindiNum: 'hindiNumbers',
};

/** A number as its scheme shows it; schemes that are not known are shown as `1.` */
function numberOf(value: number, scheme: string): string {
  const [, name = '', sign = ''] = SCHEME.exec(scheme) ?? [];
  const number = numeral(value, FORMATS[name] ?? 'decimal');
  if (sign === 'ParenBoth') return `(${number})`;
  if (sign === 'ParenR') return `${number})`;
  return sign === 'Plain' ? number : `${number}.`;
}

function figureOf(node: MarkupElement, { pictures }: Slide): FlowElement[] {
  const { descr = '' } = childAt(node, 'nvPicPr', 'cNvPr')?.attributes ?? {};
  // Programs that import pictures note only the file's name.
  const content = /^\S+\.\w{3,4}$/.test(descr.trim()) ? '' : cleanText(descr).trim();
  const blip = childAt(node, 'blipFill', 'blip');
  const picture = blip && pictures.get(relationOf(blip, 'embed'));
  return [{ type: 'figure', content, ...(picture !== undefined && { picture }) }];
}

function graphicElements(node: MarkupElement, { parts, cells, looks }: Slide): FlowElement[] {
  const data = childAt(node, 'graphic', 'graphicData');
  const table = childAt(data, 'tbl');
  if (table) return tableOfCells(cellsOf(table, looks), cells);
  const shown = (name: string, attribute: string): MarkupElement | undefined => {
    const element = childAt(data, name);
    return element && parts.get(relationOf(element, attribute));
  };
  const chart = shown('chart', 'id');
  if (chart) return chartElements(chart, cells, looks);
  const diagram = shown('relIds', 'dm');
  return [...descendants(diagram, 'p')].flatMap((paragraph): FlowElement[] => {
    const content = lineOf(paragraph, looks);
    return content === '' ? [] : [{ type: 'paragraph', content }];
  });
}

/** The cells of each row, without those that others cover. */
function cellsOf(table: MarkupElement, looks: Looks): SpanningCell[][] {
  return childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc')
      .filter(({ attributes }) => !isTrue(attributes['hMerge']) && !isTrue(attributes['vMerge']))
      .map((cell) => ({
        text: paragraphsOf(childAt(cell, 'txBody'), looks)
          .map((paragraph) => paragraph.text)
          .join('\n'),
        rows: Number(cell.attributes['rowSpan'] ?? 1) || 1,
        columns: Number(cell.attributes['gridSpan'] ?? 1) || 1,
      })),
  );
}

const isTrue = (flag: string | undefined): boolean => /^(?:1|true)$/.test(flag ?? '');

/** The title of a chart, and its stored values: a row for each category, a column for each series. */
function chartElements(chart: MarkupElement, count: CellCount, looks: Looks): FlowElement[] {
  const [title] = descendants(chart, 'title');
  const heading = [...descendants(title, 'p')]
    .map((line) => lineOf(line, looks))
    .join(' ')
    .trim();
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
  return [...descendants(source, 'pt')].map((point) =>
    cleanText(unescaped(textOf(childAt(point, 'v')))).trim(),
  );
}
