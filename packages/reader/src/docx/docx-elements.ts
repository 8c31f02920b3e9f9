import { type ListItem, onOneLine, plainText, type Textual } from '../document/element.ts';
import { tableOf } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { InlineMarks } from '../inline/inline-marks.ts';
import { cleanText } from '../layout/plain-text.ts';
import { child, isOn, valueOf, type XmlNode } from '../xml.ts';
import type { DocxPackage } from './docx-package.ts';
import { blocksOf, isMarkDeleted, onlyCell, tableRows } from './docx-tables.ts';
import { type Extra, type Inline, readInline } from './inline.ts';
import type { NumberLabel } from './numbering.ts';
import { headingLevel, levelOf, type Style } from './styles.ts';

const TITLE = /^title$/;
const CONTENTS = /^toc (\d)$/;
const CONTENTS_HEADING = /^toc heading$/;
/** Styles of lists that are deeper than their numbering says. */
const DEEPER = /^list (?:bullet|number) ([2-5])$/;
/** A bold paragraph is a heading in documents whose author used no styles. */
const LONGEST_BOLD_HEADING = 100;

interface Item extends ListItem {
  /** The list that it belongs to. */
  list: string;
}
interface Note {
  kind: 'footnote' | 'endnote' | 'comment';
  id: string;
  mark: string;
}

/** The elements of a DOCX, divided by its explicit page breaks and sections. */
export function docxPages(docx: DocxPackage): FlowElement[][] {
  const { styles, numbering } = docx;
  const pages: FlowElement[][] = [];
  /** Pages of the section that is being read. */
  let section: FlowElement[][] = [[]];
  let items: Item[] = [];
  let listing: string[] = [];
  /** Text of a paragraph whose mark was deleted. */
  let carried = '';
  let notes: Note[] = [];
  /** Notes, and parts of the file, are shown once, however often they are referred to. */
  const marks = new Map<string, string>();
  const remarks = new Set<string>();
  const parts = new Set<XmlNode | string>();
  const inlineMarks = new InlineMarks();
  /** Whether the main part is being read: others have relationships of their own. */
  let isMain = true;
  const shown = { page_header: new Set<string>(), page_footer: new Set<string>() };
  const inlines = {
    styles,
    marks: inlineMarks,
    targetOf: (relationship: string) => (isMain ? docx.target(relationship) : ''),
    remark(id: string) {
      if (!remarks.has(id)) notes.push({ kind: 'comment', id, mark: '' });
      remarks.add(id);
    },
    markOf(kind: Note['kind'], id: string) {
      const known = marks.get(`${kind} ${id}`);
      if (known !== undefined) return known;
      const mark = `[${marks.size + 1}]`;
      marks.set(`${kind} ${id}`, mark);
      notes.push({ kind, id, mark });
      return mark;
    },
  };

  const page = (): FlowElement[] => section.at(-1) ?? [];
  const push = (element: Textual & { picture?: string }): void => {
    if (element.content !== '' || element.type === 'figure') page().push(element);
  };
  const addItems = (some: readonly ListItem[]): void => {
    if (some.length > 0) page().push({ type: 'list', items: some });
  };
  const endRuns = (): void => {
    addItems(items.map(({ marker, text, depth }) => ({ marker, text: cleanText(text), depth })));
    const code = cleanText(listing.join('\n')).replace(/^(?:[ \t]*\n)+/, '');
    push({ type: 'code', content: code.trimEnd() });
    items = [];
    listing = [];
  };
  const add = (element: Textual & { picture?: string }): void => {
    endRuns();
    push({ ...element, content: cleanText(element.content).trim() });
  };
  const endPage = (): void => {
    endRuns();
    for (const { kind, id, mark } of notes.splice(0)) {
      const note = docx.note(kind, id);
      const text = note ? linesOfPart(note).join('\n').trim() : '';
      const role = kind === 'comment' ? 'notes' : 'footnote';
      if (text !== '') push({ type: 'paragraph', content: `${mark} ${cleanText(text)}`.trim(), role });
    }
    section.push([]);
  };
  const endSection = (properties?: XmlNode): void => {
    endPage();
    section.pop();
    for (const { role, part } of properties ? docx.margins(properties) : []) {
      if (parts.has(part)) continue;
      parts.add(part);
      const lines = linesOfPart(part)
        .map((line) => cleanText(line).trim())
        .filter((line) => line !== '' && !shown[role].has(line));
      for (const line of lines) shown[role].add(line);
      const content = [...new Set(lines)].join('\n');
      const element: FlowElement = { type: 'paragraph', content, role };
      if (content === '') continue;
      if (role === 'page_header') section[0]?.unshift(element);
      else section.at(-1)?.push(element);
    }
    const continues = pages.length > 0 && valueOf(properties, 'w:type') === 'continuous';
    for (const element of (continues && section.shift()) || []) pages.at(-1)?.push(element);
    for (const page of section) pages.push(page);
    section = [[]];
  };

  const numberOf = (properties: XmlNode | undefined, style: Style): NumberLabel | undefined => {
    const own = child(properties, 'w:numPr');
    const id = valueOf(own, 'w:numId') ?? style.numbering.id;
    if (id === undefined || id === '0') return undefined;
    const level = levelOf(own) ?? style.numbering.level ?? numbering.levelOfStyle(id, style.chain) ?? 0;
    return numbering.next({ id, level });
  };
  /**
   * The lines of text in paragraphs, boxes and tables, for places that have no elements of their own.
   *
   * @param later takes what becomes elements of their own after them: tables and charts in a cell
   */
  const linesOf = (nodes: readonly XmlNode[], later?: (() => void)[]): string[] =>
    [...blocksOf(nodes)].flatMap((block): string[] => {
      if (block.name === 'w:sectPr') return [];
      if (block.name === 'w:altChunk') return docx.imported(block.attributes['r:id'] ?? '').map(plainText);
      if (block.name === 'w:tbl') {
        if (!later)
          return tableRows(block, (cell) => linesOf(cell.children).join('\n')).rows.map((row) =>
            row.join('\t'),
          );
        later.push(() => table(block));
        return [];
      }
      const properties = child(block, 'w:pPr');
      const style = styles.paragraph(valueOf(properties, 'w:pStyle'));
      const { text, extras } = readInline(block, style, inlines);
      const label = numberOf(properties, style);
      const number = label?.kind === 'number' && text !== '' ? `${label.text} ` : '';
      const others = extras.flatMap((extra) => {
        if (extra.kind === 'box') return linesOf(extra.content.children, later);
        if (extra.kind !== 'figure') later?.push(() => addExtra(extra));
        return extra.kind === 'figure' && extra.alt !== '' ? [extra.alt] : [];
      });
      return [...`${number}${text}`.split('\n'), ...others];
    });

  /** The lines of a note, a header or a footer. */
  const linesOfPart = (part: XmlNode): string[] => {
    isMain = false;
    const lines = linesOf(part.children);
    isMain = true;
    return lines;
  };

  const visit = (block: XmlNode): void => {
    if (block.name === 'w:tbl') table(block);
    else if (block.name === 'w:sectPr') endSection(block);
    else if (block.name === 'w:altChunk') {
      endRuns();
      for (const element of docx.imported(block.attributes['r:id'] ?? '')) page().push(element);
    } else paragraph(block);
  };
  const table = (node: XmlNode): void => {
    const frame = onlyCell(node);
    if (frame) {
      for (const block of blocksOf(frame.children)) visit(block);
      return endRuns();
    }
    endRuns();
    const later: (() => void)[] = [];
    const { rows, merged, headerRows } = tableRows(node, (cell) =>
      cleanText(linesOf(cell.children, later).join('\n')).trim(),
    );
    addRows(rows, merged, headerRows);
    for (const addOther of later) addOther();
  };
  const addRows = (...table: Parameters<typeof tableOf>): void => {
    endRuns();
    page().push(...tableOf(...table));
  };
  const paragraph = (node: XmlNode): void => {
    const properties = child(node, 'w:pPr');
    const style = styles.paragraph(valueOf(properties, 'w:pStyle'));
    const inline = readInline(node, style, inlines);
    const breaks = inline.breakBefore || (isOn(properties, 'w:pageBreakBefore') ?? style.pageBreakBefore);
    if (breaks && page().length + items.length + listing.length > 0) endPage();
    if (isMarkDeleted(properties)) carried += inline.text;
    else {
      place({ ...inline, text: carried + inline.text }, style, properties);
      carried = '';
    }
    for (const extra of inline.extras) addExtra(extra);
    if (inline.breakAfter) endPage();
    const end = child(properties, 'w:sectPr');
    if (end) endSection(end);
  };
  const place = (inline: Inline, style: Style, properties: XmlNode | undefined): void => {
    const label = numberOf(properties, style);
    const text = inline.text.trim();
    if (text === '') {
      if (listing.length > 0 && inline.text === '') listing.push('');
      return;
    }
    const number = label?.kind === 'number' ? `${label.text} ` : '';
    const level = levelOfHeading(inline, style, properties, label);
    const contents = CONTENTS.exec(style.name)?.[1];
    if (level !== undefined) add({ type: 'heading', content: onOneLine(`${number}${text}`), level });
    else if (contents !== undefined || (label && label.kind !== 'none')) {
      const list = label?.list ?? '';
      if (listing.length > 0 || (items[0] && list !== items[0].list && (label?.level ?? 0) === 0)) endRuns();
      const deeper = Number(DEEPER.exec(style.name)?.[1] ?? 1) - 1;
      const depth = contents === undefined ? (label?.level ?? 0) || deeper : Number(contents) - 1;
      items.push({ list, depth, marker: number === '' ? '-' : number.trim(), text });
    } else if (inline.listing) {
      if (items.length > 0) endRuns();
      listing = [...listing, ...inline.text.split('\n')];
    } else if (label && items.length > 0) {
      // A further paragraph of an item has an empty number.
      const last = items.at(-1);
      if (last) last.text += ` ${text}`;
    } else add({ type: 'paragraph', content: text });
  };
  const levelOfHeading = (
    { bold, text }: Inline,
    style: Style,
    properties: XmlNode | undefined,
    label: NumberLabel | undefined,
  ): number | undefined => {
    if (TITLE.test(style.name) || CONTENTS_HEADING.test(style.name)) return 1;
    if (CONTENTS.test(style.name)) return undefined;
    const outline = valueOf(properties, 'w:outlineLvl');
    const level = outline === undefined ? style.headingLevel : headingLevel(Number(outline));
    if (level !== undefined || docx.hasHeadings || !bold || label?.kind === 'bullet') return level;
    return text.length <= LONGEST_BOLD_HEADING && !/[.:;,!?]\s*$/.test(text)
      ? (label?.level ?? 0) + 1
      : undefined;
  };
  const addExtra = (extra: Extra): void => {
    switch (extra.kind) {
      case 'figure': {
        const picture = isMain && extra.picture !== undefined ? docx.picture(extra.picture) : undefined;
        return add({ type: 'figure', content: extra.alt, ...(picture !== undefined && { picture }) });
      }
      case 'box':
        endRuns();
        for (const block of blocksOf(extra.content.children)) visit(block);
        return endRuns();
      case 'chart': {
        if (parts.has(extra.id)) return;
        parts.add(extra.id);
        const chart = docx.chart(extra.id);
        add({ type: 'figure', content: chart?.title || extra.alt });
        return addRows(chart?.rows ?? []);
      }
      case 'diagram': {
        if (parts.has(extra.id)) return;
        parts.add(extra.id);
        const lines = docx.diagram(extra.id);
        if (lines.length === 0) return add({ type: 'figure', content: extra.alt });
        endRuns();
        return addItems(lines.map((line) => ({ marker: '-', text: cleanText(line), depth: 0 })));
      }
    }
  };

  docx.readBlocks((node) => {
    for (const block of blocksOf([node])) visit(block);
  });
  if (carried.trim() !== '') add({ type: 'paragraph', content: carried });
  if (section.some((one) => one.length > 0) || items.length + listing.length + notes.length > 0) endSection();
  return pages.map((elements) => joinPairs(elements.map((element) => inlineMarks.separate(element))));
}
