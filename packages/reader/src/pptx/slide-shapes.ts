import { inSlideOrder, isFromRight, type Placed } from '../flow/slide-order.ts';
import { childAt, childrenOf, type MarkupElement, textOf } from '../markup/parse-markup.ts';

/** A shape of a slide with content, in units of the format. */
export interface Shape extends Placed {
  node: MarkupElement;
  /** `title`, `body`, `ftr` …; undefined for a shape that fills no placeholder of its layout. */
  placeholder: string | undefined;
}

type Place = Omit<Placed, 'isTitle'>;

/**
 * The shapes of a slide in the order in which they are read. A placeholder without a place of its own has that of its layout, or of the master behind it. Hidden shapes are left out.
 */
export function shapesOf(
  slide: MarkupElement | undefined,
  layout: MarkupElement | undefined,
  master: MarkupElement | undefined,
): Shape[] {
  const places = placesOf(layout, placesOf(master, new Map()));
  const tree = childAt(slide, 'cSld', 'spTree');
  const fromRight = isFromRight(textOf(tree));
  return inSlideOrder([...shapesIn(tree, places, fromRight)], fromRight);
}

/** The shapes with text of a drawing on a sheet, in the order of the file. */
export const shapesOnSheet = (drawing: MarkupElement | undefined): Shape[] =>
  childrenOf(childAt(drawing, 'wsDr'))
    .flatMap((anchor) => [...shapesIn(anchor, new Map(), false)])
    .filter(({ node }) => node.name === 'sp');

/** Shapes in groups are in their order there, have the place of the outermost group, and stay together. */
function* shapesIn(
  tree: MarkupElement | undefined,
  places: ReadonlyMap<string, Place>,
  fromRight: boolean,
): Generator<Shape> {
  for (const node of childrenOf(tree)) {
    if (node.name === 'AlternateContent') {
      // The choice is for newer programs, the fallback repeats it for others.
      yield* shapesIn(childAt(node, 'Choice') ?? childAt(node, 'Fallback'), places, fromRight);
      continue;
    }
    if (isHidden(node)) continue;
    const own = placeOf(
      childAt(node, 'spPr', 'xfrm') ?? childAt(node, 'grpSpPr', 'xfrm') ?? childAt(node, 'xfrm'),
    );
    if (node.name === 'grpSp') {
      const inner = [...shapesIn(node, places, fromRight)];
      for (const shape of inSlideOrder(inner, fromRight)) yield { ...shape, ...own };
      continue;
    }
    if (!['sp', 'graphicFrame', 'pic', 'cxnSp'].includes(node.name)) continue;
    const ph = placeholderOf(node);
    const inherited = ph && (places.get(`idx ${ph.attributes['idx']}`) ?? places.get(`type ${kindOf(ph)}`));
    const placeholder = ph && typeOf(ph);
    const isTitle = placeholder === 'title' || placeholder === 'ctrTitle';
    yield { node, placeholder, isTitle, ...(own ?? inherited ?? NOWHERE) };
  }
}

/** The places of placeholders by type and number. @param behind those of the master, by type */
function placesOf(layout: MarkupElement | undefined, behind: ReadonlyMap<string, Place>): Map<string, Place> {
  const places = new Map([...behind].filter(([key]) => key.startsWith('type ')));
  for (const node of childrenOf(childAt(layout, 'cSld', 'spTree'))) {
    const ph = placeholderOf(node);
    const place = ph && (placeOf(childAt(node, 'spPr', 'xfrm')) ?? behind.get(`type ${kindOf(ph)}`));
    if (!ph || !place) continue;
    places.set(`type ${kindOf(ph)}`, place);
    if (ph.attributes['idx'] !== undefined) places.set(`idx ${ph.attributes['idx']}`, place);
  }
  return places;
}

const NOWHERE: Place = { x: 0, y: 0, width: 0, height: 0 };

function placeholderOf(node: MarkupElement): MarkupElement | undefined {
  const about = childrenOf(node).find(({ name }) => /^nv\w+Pr$/.test(name));
  return childAt(about, 'nvPr', 'ph');
}

/** Masters have one place for titles, and one for all content. */
function kindOf(ph: MarkupElement): string {
  const type = typeOf(ph);
  if (type === 'ctrTitle') return 'title';
  return ['title', 'dt', 'ftr', 'hdr', 'sldNum'].includes(type) ? type : 'body';
}

function isHidden(node: MarkupElement): boolean {
  const about = childrenOf(node).find(({ name }) => /^nv\w+Pr$/.test(name));
  return /^(?:1|true)$/.test(childAt(about, 'cNvPr')?.attributes['hidden'] ?? '');
}

/** The format omits the type of a placeholder for any content. */
const typeOf = ({ attributes }: MarkupElement): string => attributes['type'] ?? 'body';

function placeOf(transform: MarkupElement | undefined): Place | undefined {
  const { x, y } = childAt(transform, 'off')?.attributes ?? {};
  const { cx, cy } = childAt(transform, 'ext')?.attributes ?? {};
  const place = { x: Number(x), y: Number(y), width: Number(cx ?? 0) || 0, height: Number(cy ?? 0) || 0 };
  return Number.isFinite(place.x) && Number.isFinite(place.y) ? place : undefined;
}
