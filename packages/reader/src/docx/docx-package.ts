import { posix } from 'node:path';
import type { FlowElement } from '../flow/paginate.ts';
import { htmlElements } from '../html/html-elements.ts';
import { parseXhtml } from '../markup/parse-markup.ts';
import { textElements } from '../text/text-elements.ts';
import type { Archive, ArchiveKind } from '../archive.ts';
import { UnreadableDocument } from '../opened-document.ts';
import type { RunningRole } from '../layout/running-lines.ts';
import { isOn, parseXml, type XmlNode } from '../xml.ts';
import { type Chart, drawnText, readChart } from './charts.ts';
import { type Numbering, readNumbering } from './numbering.ts';
import { readStyles, type Styles } from './styles.ts';

export const DOCX: ArchiveKind = {
  name: 'DOCX',
  /** Images, fonts and embedded files are never unpacked; parts of HTML and text may be imported ones. */
  needed:
    /^(?:_rels\/\.rels|docProps\/core\.xml|word\/(?:[^/]*\.xml|_rels\/[^/]*\.rels|(?:charts|diagrams)\/[^/]*\.xml)|(?:[^/]+\/){0,3}[^/]+\.(?:x?html?|txt))$/,
  main: /^word\/document\d*\.xml$/,
};

/** Styles that are looked for in the text of the document. */
const MOST_STYLES = 2_000;

/** The parts of a DOCX as the reader asks for them. */
export interface DocxPackage {
  /** Title, author and dates, if present. */
  properties: XmlNode | undefined;
  styles: Styles;
  numbering: Numbering;
  /** Whether the document uses styles or outline levels for its headings. */
  hasHeadings: boolean;
  /** Hands out the blocks of the document one by one, so that long documents need little memory. */
  readBlocks(onBlock: (block: XmlNode) => void): void;
  note(kind: 'footnote' | 'endnote' | 'comment', id: string): XmlNode | undefined;
  /** The address that a link of the main part leads to; empty if there is none. */
  target(id: string): string;
  /** The name of a picture in the archive. */
  picture(id: string): string | undefined;
  chart(id: string): Chart | undefined;
  /** The elements of a part in another format that Word imports when it opens the document. */
  imported(id: string): FlowElement[];
  /** The lines of a diagram (SmartArt). */
  diagram(id: string): string[];
  /** Headers and footers that a section shows. */
  margins(section: XmlNode): { role: RunningRole; part: XmlNode }[];
}

/** @throws UnreadableDocument */
export async function readPackage(archive: Archive): Promise<DocxPackage> {
  const xml = new Map<string, string>();
  for (const name of archive.names) {
    const part = await archive.text(name);
    if (part !== undefined) xml.set(name, part);
  }
  const trees = new Map<string, XmlNode | undefined>();
  /** Without a part that is damaged, the rest of the document can still be read. */
  const tree = (name: string): XmlNode | undefined => {
    if (!trees.has(name)) trees.set(name, treeOf(xml.get(name)));
    return trees.get(name);
  };
  const main = mainPart(tree('_rels/.rels'), archive.names);
  const relationsPart = tree(`${posix.dirname(main)}/_rels/${posix.basename(main)}.rels`);
  const relations = relationsOf(relationsPart);
  const targets = new Map(
    relationsPart?.children.map(({ attributes: { Id, Target = '', TargetMode } }) => [
      Id,
      TargetMode === 'External' ? Target : '',
    ]),
  );
  const ofType = (ending: string): XmlNode | undefined => {
    const target = [...relations.values()].find(({ type }) => type.endsWith(ending))?.target;
    return target === undefined ? undefined : tree(posix.join(posix.dirname(main), target));
  };
  const nameOf = (id: string): string | undefined => {
    const target = relations.get(id)?.target;
    return target?.startsWith('/') ? target.slice(1) : target && posix.join(posix.dirname(main), target);
  };
  const related = (id: string): XmlNode | undefined => {
    const name = nameOf(id);
    return name === undefined ? undefined : tree(name);
  };
  const document = xml.get(main) ?? '';
  const stylesPart = ofType('/styles');
  const styles = readStyles(stylesPart);
  const headings = (stylesPart?.children ?? [])
    .slice(0, MOST_STYLES)
    .flatMap(({ attributes: { 'w:styleId': id } }) =>
      id !== undefined && styles.paragraph(id).headingLevel !== undefined ? [id] : [],
    );
  const notes = new Map(
    (['footnote', 'endnote', 'comment'] as const).map((kind) => [
      kind,
      new Map(ofType(`/${kind}s`)?.children.map((note) => [note.attributes['w:id'], note])),
    ]),
  );
  const differs = isOn(ofType('/settings'), 'w:evenAndOddHeaders') ?? false;
  return {
    properties: tree('docProps/core.xml'),
    styles,
    numbering: readNumbering(ofType('/numbering'), styles),
    hasHeadings:
      document.includes(':outlineLvl') || headings.some((id) => document.includes(`pStyle w:val="${id}"`)),
    readBlocks: (onBlock) => void parseXml(document, { container: 'w:body', onBlock }),
    note: (kind, id) => notes.get(kind)?.get(id),
    target: (id) => targets.get(id) ?? '',
    picture: nameOf,
    chart(id) {
      const part = related(id);
      return part && readChart(part);
    },
    imported(id) {
      const name = nameOf(id) ?? '';
      const part = xml.get(name);
      if (part !== undefined && /\.x?html?$/i.test(name)) return htmlElements(parseXhtml(part));
      if (part !== undefined && /\.txt$/i.test(name)) return textElements(part);
      archive.notes.add(`An imported part of the type ${posix.extname(name) || 'unknown'} was not read.`);
      return [];
    },
    diagram(id) {
      const part = related(id);
      return part ? drawnText(part) : [];
    },
    margins: (section) =>
      section.children.flatMap(({ name, attributes: { 'w:type': type, 'r:id': id = '' } }) => {
        const [, kind] = /^w:(header|footer)Reference$/.exec(name) ?? [];
        const isShown = type === 'first' ? isOn(section, 'w:titlePg') === true : type !== 'even' || differs;
        const part = kind !== undefined && isShown ? related(id) : undefined;
        return part
          ? [{ role: kind === 'header' ? ('page_header' as const) : ('page_footer' as const), part }]
          : [];
      }),
  };
}

function treeOf(xml: string | undefined): XmlNode | undefined {
  if (xml === undefined) return undefined;
  try {
    return parseXml(xml);
  } catch (cause) {
    if (cause instanceof UnreadableDocument && cause.reason === 'damaged') return undefined;
    throw cause;
  }
}

/** Some programs give the main part a number. */
function mainPart(relations: XmlNode | undefined, names: readonly string[]): string {
  const named = [...relationsOf(relations).values()].find(({ type }) => type.endsWith('/officeDocument'));
  const target = named?.target.replace(/^\//, '');
  return target !== undefined && names.includes(target)
    ? target
    : (names.find((name) => (DOCX.main as RegExp).test(name)) ?? '');
}

function relationsOf(root: XmlNode | undefined): Map<string, { type: string; target: string }> {
  return new Map(
    root?.children.flatMap(({ attributes: { Id, Type, Target, TargetMode } }) =>
      Id !== undefined && Type !== undefined && Target !== undefined && TargetMode !== 'External'
        ? [[Id, { type: Type, target: Target }]]
        : [],
    ),
  );
}
