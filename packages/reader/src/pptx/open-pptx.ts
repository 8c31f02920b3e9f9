import { type Archive, partOf, withArchive } from '../archive.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { CellCount } from '../flow/grid.ts';
import { type FlowElement, pagesOfParts } from '../flow/paginate.ts';
import { coreProperties } from '../markup/core-properties.ts';
import { childAt, childrenOf, type MarkupElement } from '../markup/parse-markup.ts';
import { InlineMarks } from '../inline/inline-marks.ts';
import { relationOf, relationshipsOf, targetsOf, xmlPart } from '../markup/xml-parts.ts';
import { commentElements, type Looks, notesElements, shapeElements } from './slide-elements.ts';
import { shapesOf } from './slide-shapes.ts';

const PPTX = {
  name: 'PPTX',
  /** Images, sounds, macros and embedded files are never unpacked. */
  needed:
    /^(?:_rels\/.*|docProps\/core\.xml|ppt\/(?:presentation|(?:slides|slideLayouts|slideMasters|notesSlides|comments|charts|diagrams)\/[^/]+)\.xml|ppt\/(?:\w+\/)?_rels\/.*)$/,
  main: 'ppt/presentation.xml',
};
/** What a slide shows from other parts. */
const SHOWN = new Set(['chart', 'diagramData']);

/** Each slide is a page, also one without text. @throws UnreadableDocument */
export async function openPptx(path: string): Promise<OpenDocument> {
  return withArchive(path, PPTX, async (archive) => {
    const core = await xmlPart(archive, 'docProps/core.xml');
    const presentation = childAt(await xmlPart(archive, PPTX.main), 'presentation');
    const parts = new Map((await relationshipsOf(archive, PPTX.main)).map(({ id, target }) => [id, target]));
    const present = new Set(archive.names);
    const slides = childrenOf(childAt(presentation, 'sldIdLst'), 'sldId').map((slide) => {
      const part = parts.get(relationOf(slide));
      if (part === undefined || !present.has(part))
        throw new UnreadableDocument('damaged', 'A slide of the presentation is missing.');
      return part;
    });
    const cells = new CellCount();
    const hidden: number[] = [];
    const pages = await pagesOfParts(slides, async (part) => {
      const slide = childAt(await xmlPart(archive, part), 'sld');
      if (!/^(?:0|false)$/.test(slide?.attributes['show'] ?? ''))
        return [await slideElements(archive, part, cells)];
      hidden.push(slides.indexOf(part) + 1);
      return [[]];
    });
    if (hidden.length > 0) archive.notes.add(`Hidden slides were not read: ${hidden.join(', ')}.`);
    return flowDocument({
      pages,
      numbered: true,
      notes: archive.notes,
      openPicture: (name) => partOf(path, name),
      ...coreProperties(childAt(core, 'coreProperties')),
    });
  });
}

async function slideElements(archive: Archive, part: string, cells: CellCount): Promise<FlowElement[]> {
  const related = await relationshipsOf(archive, part);
  const targetOf = (type: string) => related.find((each) => each.type === type)?.target ?? '';
  const layoutPart = targetOf('slideLayout');
  const layout = childAt(await xmlPart(archive, layoutPart), 'sldLayout');
  const behind = (await relationshipsOf(archive, layoutPart)).find(({ type }) => type === 'slideMaster');
  const master = childAt(await xmlPart(archive, behind?.target ?? ''), 'sldMaster');
  const shown = new Map<string, MarkupElement>();
  for (const { id, type, target } of related) {
    const content = SHOWN.has(type) ? await xmlPart(archive, target) : undefined;
    if (content) shown.set(id, content);
  }
  const pictures = new Map(related.map(({ id, target }) => [id, target]));
  const slide = childAt(await xmlPart(archive, part), 'sld');
  const notes = childAt(await xmlPart(archive, targetOf('notesSlide')), 'notes');
  const marks = new InlineMarks();
  const looks: Looks = { marks, targets: await targetsOf(archive, part) };
  return [
    ...shapesOf(slide, layout, master).flatMap((shape) =>
      shapeElements(shape, { parts: shown, pictures, cells, looks }),
    ),
    // Links of the notes are named by a part of their own.
    ...notesElements(notes, { marks, targets: new Map() }),
    ...commentElements(await xmlPart(archive, targetOf('comments'))),
  ].map((element) => marks.separate(element));
}
