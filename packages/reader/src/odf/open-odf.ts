import { type Archive, partOf, withArchive } from '../archive.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { CellCount } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { InlineMarks } from '../inline/inline-marks.ts';
import { checkPageCount } from '../limits.ts';
import { coreProperties, dateOf } from '../markup/core-properties.ts';
import { childAt, descendants, type MarkupElement, textOf } from '../markup/parse-markup.ts';
import { xmlPart } from '../markup/xml-parts.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { controlsOf } from './inline.ts';
import { sheetPages } from './sheets.ts';
import { slidePages } from './slides.ts';
import { marginsOf, readStyles } from './styles.ts';
import { OdfText, type TextSource } from './text-elements.ts';

const MANIFEST = 'META-INF/manifest.xml';
const MAIN = 'content.xml';
const OBJECT = /^(?:\.\/)?([^/]+)\/?$/;
/** Pictures, previews, scripts and fonts are never unpacked. */
const NEEDED = /^(?:(?:[^/]+\/)?content\.xml|styles\.xml|meta\.xml|META-INF\/manifest\.xml)$/;
/** The names of the kinds, by the element of their body. */
const KINDS = { text: 'ODT', spreadsheet: 'ODS', presentation: 'ODP' } as const;
type Kind = keyof typeof KINDS;

/** A document, a workbook or a presentation of OpenDocument. @throws UnreadableDocument */
export async function openOdf(path: string, kind: Kind): Promise<OpenDocument> {
  return withArchive(path, { name: KINDS[kind], needed: NEEDED, main: MAIN }, async (archive) => {
    await checkReadable(archive);
    const content = childAt(await xmlPart(archive, MAIN), 'document-content');
    const stylesPart = childAt(await xmlPart(archive, 'styles.xml'), 'document-styles');
    const body = childAt(content, 'body', kind);
    if (!body)
      throw new UnreadableDocument(
        'damaged',
        `The document is an OpenDocument, but not of the type ${KINDS[kind]}.`,
      );
    const objects = new Map<string, MarkupElement>();
    for (const name of archive.names.filter((each) => each.endsWith('/content.xml'))) {
      const object = await xmlPart(archive, name);
      if (object) objects.set(name.slice(0, name.indexOf('/')), object);
    }
    const source: TextSource = {
      styles: readStyles(stylesPart, content),
      marks: new InlineMarks(),
      controls: controlsOf(body),
      cells: new CellCount(),
      object: (reference) => objects.get(OBJECT.exec(reference)?.[1] ?? ''),
    };
    const pages = {
      text: () => textPages(body, source, stylesPart),
      spreadsheet: () => sheetPages(body, source, archive.notes),
      presentation: () => slidePages(body, source, archive.notes),
    }[kind]();
    const meta = childAt(await xmlPart(archive, 'meta.xml'), 'document-meta', 'meta');
    const { title, author, createdAt } = coreProperties(meta);
    const [created] = descendants(meta, 'creation-date');
    return flowDocument({
      pages,
      numbered: kind === 'presentation',
      notes: archive.notes,
      openPicture: (name) => partOf(path, name),
      title,
      author,
      createdAt: dateOf(textOf(created)) ?? createdAt,
    });
  });
}

async function checkReadable(archive: Archive): Promise<void> {
  const manifest = await xmlPart(archive, MANIFEST);
  for (const { attributes, children } of descendants(manifest, 'file-entry')) {
    const isEncrypted = children.some(
      (child) => typeof child !== 'string' && child.name === 'encryption-data',
    );
    // Newer programs encrypt the whole package as one part.
    const path = attributes['manifest:full-path'];
    if (isEncrypted && (path === MAIN || path === 'encrypted-package'))
      throw new UnreadableDocument('encrypted', 'The document is encrypted.');
  }
}

/** The pages of a text, by its explicit breaks. */
function textPages(
  body: MarkupElement,
  source: TextSource,
  stylesPart: MarkupElement | undefined,
): FlowElement[][] {
  const pages: FlowElement[][] = [];
  const shown = new Set<string>();
  let master = 'Standard';
  /** Headers and footers are shown with the first page of their kind. */
  const endPage = (): void => {
    const elements = text.take();
    if (!shown.has(master)) {
      shown.add(master);
      for (const [name, part] of marginsOf(stylesPart, master)) {
        const content = text.lines(part).join('\n');
        const role = name === 'header' ? ('page_header' as const) : ('page_footer' as const);
        if (content === '') continue;
        const element = source.marks.separate({ type: 'paragraph', content, role });
        if (role === 'page_header') elements.unshift(element);
        else elements.push(element);
      }
    }
    pages.push(joinPairs(elements));
    checkPageCount(pages.length);
  };
  const text = new OdfText({
    ...source,
    pageBreak(named) {
      if (!text.isEmpty) endPage();
      master = named ?? master;
    },
  });
  text.read(body);
  endPage();
  return pages;
}
