import type { PageElement } from '../../../domain/documents/page.ts';
import { cleanText, markdownTable, plainLetters } from './plain-text.ts';
import type { FoundPart } from './find-parts.ts';
import { type Box, boxAround, greatest, relativeBox } from './geometry.ts';
import type { HeadingStyle } from './headings.ts';
import { listingText } from './listings.ts';
import { listMarkdown } from './lists.ts';
import { makeSegment, toRows } from './segments.ts';
import type { TextBlock } from './text-blocks.ts';

/** A part of an upright page as an element. */
export function presentPart(
  part: FoundPart,
  describeHeading: (block: TextBlock, style: HeadingStyle) => PageElement['metadata'],
  page: { width: number; height: number },
): PageElement {
  const element = (
    type: PageElement['type'],
    content: string,
    box: Box,
    metadata: PageElement['metadata'] = {},
  ): PageElement => ({ type, content: cleanText(content), box: relativeBox(box, page), metadata });
  switch (part.kind) {
    case 'heading':
      return element('heading', part.block.text, part.block.box, describeHeading(part.block, part.style));
    case 'text':
      return element('paragraph', part.block.text, part.block.box);
    case 'note':
      return element('paragraph', part.block.text, part.block.box, { role: 'footnote' });
    case 'list':
      return element('list', listMarkdown(part.items), boxAround(part.items.map(({ box }) => box)), {
        items: part.items.length,
      });
    case 'table': {
      const { rows, box } = part.table;
      const columns = greatest(rows.map((row) => row.length));
      return element('table', markdownTable(rows), box, { rows: rows.length, columns });
    }
    case 'code': {
      const content = plainLetters(listingText(part.lines));
      return {
        ...element('code', '', boxAround(part.lines), { lines: content.split('\n').length }),
        content,
      };
    }
    case 'pair': {
      const [key, value] = [cleanText(part.key), cleanText(part.value)];
      return element('key_value', `${key}: ${value}`, part.box, { key, value });
    }
    case 'figure': {
      const box = part.caption ? boxAround([part.box, part.caption.box]) : part.box;
      const labels = toRows(part.labels ?? []).flatMap((row) => row.map(({ text }) => text));
      return element('figure', [part.caption?.text ?? '', labels.join(' ')].join('\n').trim(), box);
    }
    case 'running': {
      const lines = toRows(part.segments).map((row) => makeSegment(row.flatMap(({ runs }) => runs)).text);
      return element('paragraph', lines.join('\n'), boxAround(part.segments), { role: part.role });
    }
  }
}
