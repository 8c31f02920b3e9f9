import type { Heading, Textual } from '../document/element.ts';
import type { PageBox, PageElement } from '../document/page.ts';
import { cleanText, plainLetters } from './plain-text.ts';
import type { FoundPart } from './find-parts.ts';
import { type Box, boxAround, type QuarterTurns, relativeBox, turnBox } from './geometry.ts';
import type { HeadingStyle } from './headings.ts';
import { listingText } from './listings.ts';
import { listItems } from './lists.ts';
import { makeSegment, toRows } from './segments.ts';
import type { TextBlock } from './text-blocks.ts';

/** What a heading says of itself besides its text. */
export type HeadingFacts = Omit<Heading, 'type' | 'content'>;

/** An element of an upright page on the page as it is shown. */
export function turnElement(element: PageElement, turns: QuarterTurns): PageElement {
  const { box, cellBoxes } = element;
  const turn = (each: PageBox): PageBox => turnBox(each, turns);
  return {
    ...element,
    box: turn(box),
    ...(cellBoxes && { cellBoxes: cellBoxes.map((row) => row.map(turn)) }),
  };
}

/** A part of an upright page as an element. */
export function presentPart(
  part: FoundPart,
  describeHeading: (block: TextBlock, style: HeadingStyle) => HeadingFacts,
  page: { width: number; height: number },
): PageElement {
  const at = (box: Box): Pick<PageElement, 'box'> => ({ box: relativeBox(box, page) });
  const element = (textual: Textual, box: Box): PageElement => ({
    ...textual,
    content: cleanText(textual.content),
    ...at(box),
  });
  switch (part.kind) {
    case 'heading': {
      const { text: content, box } = part.block;
      return element({ type: 'heading', content, ...describeHeading(part.block, part.style) }, box);
    }
    case 'text':
      return element({ type: 'paragraph', content: part.block.text }, part.block.box);
    case 'note':
      return element({ type: 'paragraph', content: part.block.text, role: 'footnote' }, part.block.box);
    case 'list':
      return {
        type: 'list',
        items: listItems(part.items),
        ...at(boxAround(part.items.map(({ box }) => box))),
      };
    case 'table': {
      const { box, rows, merged, cellBoxes } = part.table;
      const cells = rows.map((row) => row.map((cell) => cleanText(cell).trim()));
      return {
        type: 'table',
        rows: cells,
        ...(merged?.length && { merged }),
        ...at(box),
        ...(cellBoxes && { cellBoxes: cellBoxes.map((row) => row.map((cell) => relativeBox(cell, page))) }),
      };
    }
    case 'code':
      return {
        type: 'code',
        content: plainLetters(listingText(part.lines)),
        ...at(boxAround(part.lines)),
      };
    case 'pair':
      return { type: 'key_value', key: cleanText(part.key), value: cleanText(part.value), ...at(part.box) };
    case 'figure': {
      const box = part.caption ? boxAround([part.box, part.caption.box]) : part.box;
      const labels = toRows(part.labels ?? []).flatMap((row) => row.map(({ text }) => text));
      const content = [part.caption?.text ?? '', labels.join(' ')].join('\n').trim();
      return element({ type: 'figure', content }, box);
    }
    case 'running': {
      const lines = toRows(part.segments).map((row) => makeSegment(row.flatMap(({ runs }) => runs)).text);
      const content = lines.join('\n');
      return element({ type: 'paragraph', content, role: part.role }, boxAround(part.segments));
    }
  }
}
