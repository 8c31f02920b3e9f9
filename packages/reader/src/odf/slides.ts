import type { ElementRole } from '../document/element.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { inSlideOrder, isFromRight, type Placed } from '../flow/slide-order.ts';
import { checkPageCount } from '../limits.ts';
import { childAt, childrenOf, type MarkupElement, textOf } from '../markup/parse-markup.ts';
import { isDrawn, OdfText, type TextSource } from './text-elements.ts';

/** Frames of lines that many slides have. */
const RUNNING: Readonly<Record<string, ElementRole>> = {
  header: 'page_header',
  footer: 'page_footer',
  'date-time': 'page_footer',
  'page-number': 'page_footer',
};
const GROUPS = new Set(['g', 'a']);
/** Children of slides and groups that are no shapes. */
const NO_SHAPES = new Set(['notes', 'title', 'desc', 'event-listeners', 'glue-point']);
/** Units of a length in millimetres. */
const MILLIMETRES: Readonly<Record<string, number>> = {
  mm: 1,
  cm: 10,
  in: 25.4,
  pt: 25.4 / 72,
  pc: 25.4 / 6,
  px: 25.4 / 96,
};

/** Each slide is a page, also one without text. */
export function slidePages(body: MarkupElement, source: TextSource, notes: Set<string>): FlowElement[][] {
  const hidden: number[] = [];
  const slides = childrenOf(body, 'page');
  checkPageCount(slides.length);
  const pages = slides.map((slide, at) => {
    if (source.styles.of('drawing-page', slide.attributes['draw:style-name']).isShown !== false)
      return slideElements(slide, source);
    hidden.push(at + 1);
    return [];
  });
  if (hidden.length > 0) notes.add(`Hidden slides were not read: ${hidden.join(', ')}.`);
  return pages;
}

function slideElements(slide: MarkupElement, source: TextSource): FlowElement[] {
  const text = new OdfText(source);
  const fromRight = isFromRight(childrenOf(slide).filter(isShape).map(textOf).join(''));
  const shapes = inSlideOrder(shapesOf(slide, fromRight), fromRight);
  const elements = shapes.flatMap(({ node, isTitle }): FlowElement[] => {
    if (isTitle) {
      const content = text.lines(node).join(' ');
      return content === '' ? [] : [source.marks.separate({ type: 'heading', content, level: 1 })];
    }
    const role = RUNNING[node.attributes['presentation:class'] ?? ''];
    text.frame(node);
    return text.take().map((element) => (role === undefined ? element : { ...element, role }));
  });
  const speaker = childrenOf(childAt(slide, 'notes'), 'frame').filter(
    ({ attributes }) =>
      attributes['presentation:class'] === 'notes' && attributes['presentation:placeholder'] !== 'true',
  );
  for (const frame of speaker) text.frame(frame);
  return [...elements, ...text.take().map((element) => ({ ...element, role: 'notes' as const }))];
}

function isShape({ name, attributes }: MarkupElement): boolean {
  return !NO_SHAPES.has(name) && attributes['presentation:placeholder'] !== 'true';
}

type Shape = Placed & { node: MarkupElement };

/** The shapes of a slide, in their order within groups. A group is where its first shape with a place is, and stays together. */
function shapesOf(parent: MarkupElement, fromRight: boolean): Shape[] {
  return childrenOf(parent)
    .filter(isShape)
    .flatMap((node) => {
      const isTitle = node.attributes['presentation:class'] === 'title';
      if (!GROUPS.has(node.name) || !isDrawn(node)) return [{ node, isTitle, ...placeOf(node) }];
      const inner = inSlideOrder(shapesOf(node, fromRight), fromRight);
      const first = inner.find((each) => each.node.attributes['svg:x'] !== undefined);
      const { x, y, width, height } = first ?? placeOf(node);
      return inner.map((each) => ({ ...each, x, y, width, height }));
    });
}

function placeOf({ attributes }: MarkupElement): { x: number; y: number; width: number; height: number } {
  const [x, y, width, height] = ['svg:x', 'svg:y', 'svg:width', 'svg:height'].map((name) => {
    const [, number = '0', unit = 'cm'] =
      /^(-?[\d.]+)(mm|cm|in|pt|pc|px)$/.exec(attributes[name] ?? '') ?? [];
    return Number(number) * (MILLIMETRES[unit] ?? 1);
  });
  return { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 };
}
