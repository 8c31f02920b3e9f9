import { type Archive, withArchive } from '../archive.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { CellCount } from '../flow/grid.ts';
import { divideByLength, type FlowElement, pagesOfParts } from '../flow/paginate.ts';
import { sheetElements } from '../flow/sheet.ts';
import { InlineMarks } from '../inline/inline-marks.ts';
import { cleanText } from '../layout/plain-text.ts';
import { coreProperties } from '../markup/core-properties.ts';
import {
  childAt,
  childrenOf,
  descendants,
  type MarkupElement,
  textOf,
  unescaped,
} from '../markup/parse-markup.ts';
import { relationOf, relationshipsOf, targetsOf, xmlPart } from '../markup/xml-parts.ts';
import { shapeElements } from '../pptx/slide-elements.ts';
import { shapesOnSheet } from '../pptx/slide-shapes.ts';
import { numberFormats, textFormats } from './number-formats.ts';
import { readSheet, withLook, type Workbook } from './read-sheet.ts';

const XLSX = {
  name: 'XLSX',
  /** Images, macros and embedded files are never unpacked. */
  needed:
    /^(?:_rels\/.*|docProps\/core\.xml|xl\/(?:workbook|sharedStrings|styles)\.xml|xl\/worksheets\/[^/]+\.xml|xl\/worksheets\/_rels\/.*|xl\/(?:[^/]+\/)?(?:comment|threadedComment)[^/]*\.xml|xl\/drawings\/[^/]+\.xml|xl\/drawings\/_rels\/.*|xl\/charts\/chart[^/]*\.xml|xl\/_rels\/.*)$/,
  main: 'xl/workbook.xml',
};

/** Each sheet begins a page, below its name. @throws UnreadableDocument */
export async function openXlsx(path: string): Promise<OpenDocument> {
  return withArchive(path, XLSX, async (archive) => {
    const core = await xmlPart(archive, 'docProps/core.xml');
    const workbook = childAt(await xmlPart(archive, XLSX.main), 'workbook');
    const is1904 = /^(?:1|true)$/.test(childAt(workbook, 'workbookPr')?.attributes['date1904'] ?? '');
    const styles = await xmlPart(archive, 'xl/styles.xml');
    const marks = new InlineMarks();
    const shared: Workbook = {
      strings: stringsOf(await xmlPart(archive, 'xl/sharedStrings.xml'), marks),
      showNumber: numberFormats(styles, is1904),
      showText: textFormats(styles),
      struckStyles: struckStylesOf(styles),
      marks,
      cells: new CellCount(),
    };
    const parts = new Map((await relationshipsOf(archive, XLSX.main)).map(({ id, target }) => [id, target]));
    const sheets = childrenOf(childAt(workbook, 'sheets'), 'sheet').map((entry) => ({
      part: parts.get(relationOf(entry)) ?? '',
      name: cleanText(entry.attributes['name'] ?? ''),
      isHidden: /^(?:hidden|veryHidden)$/.test(entry.attributes['state'] ?? ''),
    }));
    // A part has its first name.
    const names = new Map(sheets.toReversed().map(({ part, name }) => [part, name]));
    const hidden = sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name);
    if (hidden.length > 0) archive.notes.add(`Hidden sheets were not read: ${hidden.join(', ')}.`);
    const pages = await pagesOfParts(
      sheets.filter(({ isHidden }) => !isHidden).map(({ part }) => part),
      async (part) => {
        const sheet = await archive.text(part);
        const read =
          sheet === undefined
            ? { rows: [], hides: false }
            : readSheet(sheet, shared, await targetsOf(archive, part));
        const tables = sheetElements(read.rows).map((element) => marks.separate(element));
        const drawn = await drawingsOf(archive, part, shared).catch((error: unknown) => {
          if (!(error instanceof UnreadableDocument) || error.reason !== 'damaged') throw error;
          archive.notes.add('A damaged drawing of a sheet was not read.');
          return [];
        });
        const elements = [...tables, ...drawn, ...(await commentsOf(archive, part))];
        if (read.hides) archive.notes.add('Hidden rows and columns were not read.');
        const heading = { type: 'heading', content: names.get(part) ?? '', level: 1 } as const;
        return elements.length === 0 ? [] : divideByLength([heading, ...elements]);
      },
    );
    if (pages.length === 0) throw new UnreadableDocument('empty', 'The workbook has no cells with content.');
    return flowDocument({ pages, notes: archive.notes, ...coreProperties(childAt(core, 'coreProperties')) });
  });
}

/** The text of boxes on a sheet, and the titles of charts, whose values are those of cells. */
async function drawingsOf(
  archive: Archive,
  sheet: string,
  { cells, marks }: Workbook,
): Promise<FlowElement[]> {
  const found: FlowElement[] = [];
  for (const { type, target } of await relationshipsOf(archive, sheet)) {
    if (type !== 'drawing') continue;
    const looks = { marks, targets: await targetsOf(archive, target) };
    const slide = { parts: new Map<string, never>(), pictures: new Map<string, never>(), cells, looks };
    for (const shape of shapesOnSheet(await xmlPart(archive, target)))
      for (const element of shapeElements(shape, slide)) found.push(marks.separate(element));
    for (const related of await relationshipsOf(archive, target)) {
      if (related.type !== 'chart') continue;
      const title = childAt(await xmlPart(archive, related.target), 'chartSpace', 'chart', 'title');
      const content = [...descendants(title, 't')].map(textOf).join('').trim();
      if (content !== '') found.push({ type: 'figure', content: cleanText(content) });
    }
  }
  return found;
}

/** The remarks on cells. Of conversations, older parts repeat the first remark with a hint. */
async function commentsOf(archive: Archive, sheet: string): Promise<FlowElement[]> {
  const parts = new Map((await relationshipsOf(archive, sheet)).map(({ type, target }) => [type, target]));
  const part = parts.get('threadedComment') ?? parts.get('comments');
  const root = part === undefined ? undefined : await xmlPart(archive, part);
  const found = [...descendants(root, 'comment'), ...descendants(root, 'threadedComment')];
  return found.flatMap((comment): FlowElement[] => {
    const runs = [...descendants(childAt(comment, 'text'), 't')];
    const text = runs.length > 0 ? runs.map(textOf).join('') : textOf(childAt(comment, 'text'));
    const content = cleanText(unescaped(text)).trim();
    const cell = comment.attributes['ref'] ?? '';
    return content === '' ? [] : [{ type: 'paragraph', content: `${cell}: ${content}`, role: 'notes' }];
  });
}

/** The styles of cells whose text is struck out. */
function struckStylesOf(styles: MarkupElement | undefined): Set<number> {
  const sheet = childAt(styles, 'styleSheet');
  const fonts = childrenOf(childAt(sheet, 'fonts'), 'font').map(isStruck);
  const struck = childrenOf(childAt(sheet, 'cellXfs'), 'xf').flatMap(({ attributes }, at) =>
    fonts[Number(attributes['fontId'] ?? 0)] ? [at] : [],
  );
  return new Set(struck);
}

function isStruck(font: MarkupElement | undefined): boolean {
  const strike = childAt(font, 'strike');
  return strike !== undefined && !/^(?:0|false)$/.test(strike.attributes['val'] ?? '');
}

/** The strings that cells share, with the looks of their parts; the reading aid of Japanese text is left out. */
function stringsOf(root: MarkupElement | undefined, marks: InlineMarks): string[] {
  return childrenOf(childAt(root, 'sst'), 'si')
    .map((item) =>
      childrenOf(item)
        .filter(({ name }) => name === 't' || name === 'r')
        .reduce((text, part) => text + runOf(part, marks, text), ''),
    )
    .map(unescaped);
}

/** @param before the text that it follows */
function runOf(part: MarkupElement, marks: InlineMarks, before: string): string {
  if (part.name === 't') return textOf(part);
  const text = [...descendants(part, 't')].map(textOf).join('');
  const look = childAt(part, 'rPr');
  const height = childAt(look, 'vertAlign')?.attributes['val'];
  return withLook(text, { height, isStruck: isStruck(look) }, before, marks);
}
