import type { z } from 'zod';
import { columnsOf, type ElementContent, type Table, type PageElement } from 'darkroom-reader/document';
import { markdownOf, markedText } from '../../../domain/documents/markdown.ts';
import type { pageElement } from './schema.ts';

type Presented = z.input<typeof pageElement>;

/** What an element says: as Markdown, as facts by its type, and a table as its cells. */
export function presentContent(
  element: ElementContent & Pick<PageElement, 'cellBoxes'>,
): Pick<Presented, 'type' | 'content' | 'metadata' | 'rows'> {
  const { type, role } = element;
  return {
    type,
    content: markdownOf(element),
    metadata: { ...factsOf(element), ...(role && { role }) },
    ...(type === 'table' && { rows: cellsOf(element, element.cellBoxes) }),
  };
}

function factsOf(element: ElementContent): Presented['metadata'] {
  switch (element.type) {
    case 'heading': {
      const { level, fontSize, relativeSize } = element;
      return {
        level,
        ...(fontSize !== undefined && { font_size: fontSize }),
        ...(relativeSize !== undefined && { relative_size: relativeSize }),
      };
    }
    case 'table':
      return {
        rows: element.rows.length,
        columns: columnsOf(element),
        ...(element.headerRows !== undefined && { header_rows: element.headerRows }),
        ...(element.headerRepeated && { header_repeated: true }),
      };
    case 'key_value':
      return { key: element.key, value: element.value };
    case 'list':
      return { items: element.items.filter(({ depth }) => depth === 0).length };
    case 'code': {
      const { content, language } = element;
      return {
        lines: content.split('\n').length,
        ...(language !== undefined && { code_language: language }),
      };
    }
    default:
      return {};
  }
}

/** The cells of a table by row; merged ones once, in the row in which they begin. */
function cellsOf(table: Table, boxes?: PageElement['cellBoxes']): Presented['rows'] {
  const { rows, merged = [], marks = [] } = table;
  // A sheet may have a million cells.
  if (merged.length === 0 && marks.length === 0 && !boxes)
    return rows.map((cells) => cells.map((text) => ({ text })));
  const columns = columnsOf(table);
  const spans = new Map(merged.map((area) => [area.row * columns + area.column, area]));
  const marked = new Map(marks.map((cell) => [cell.row * columns + cell.column, cell.marks]));
  const covered = new Set<number>();
  for (const { row, column, rows: height, columns: width } of merged)
    for (let at = 1; at < height * width; at++)
      covered.add((row + Math.floor(at / width)) * columns + column + (at % width));
  return rows.map((cells, row) =>
    cells.flatMap((text, column) => {
      const place = row * columns + column;
      if (covered.has(place)) return [];
      const { rows: down = 1, columns: across = 1 } = spans.get(place) ?? {};
      const box = boxes?.[row]?.[column];
      const own = marked.get(place);
      return {
        text,
        ...(own && { markdown: markedText(text, own) }),
        ...(down > 1 && { row_span: down }),
        ...(across > 1 && { column_span: across }),
        ...(box && { bounding_box: box }),
      };
    }),
  );
}
