import { childAt, childrenOf, type MarkupElement } from '../markup/parse-markup.ts';

/** A shape of a slide with content, in units of the format. */
export interface Shape {
  node: MarkupElement;
  /** `title`, `body`, `ftr` …; undefined for a shape that fills no placeholder of its layout. */
  placeholder: string | undefined;
  x: number;
  y: number;
}

type Place = Pick<Shape, 'x' | 'y'>;

/** Shapes whose tops are this close are in a row; a slide is 6,858,000 high. */
const SAME_TOP = 300_000;

/**
 * The shapes of a slide in the order in which they are read: the title first, then from top to bottom and left to right.
 * A placeholder without a place of its own has that of its layout, or of the master behind it. Hidden shapes are left out.
 */
export function shapesOf(
  slide: MarkupElement | undefined,
  layout: MarkupElement | undefined,
  master: MarkupElement | undefined,
): Shape[] {
  const places = placesOf(layout, placesOf(master, new Map()));
  const shapes = [...shapesIn(childAt(slide, 'cSld', 'spTree'), places, undefined)];
  const titles = shapes.filter(isTitle);
  const others = shapes.filter((shape) => !isTitle(shape)).toSorted((a, b) => a.y - b.y);
  const rows: Shape[][] = [];
  for (const shape of others) {
    const row = rows.at(-1);
    if (row && shape.y - (row[0]?.y ?? 0) < SAME_TOP) row.push(shape);
    else rows.push([shape]);
  }
  return [...titles, ...rows.flatMap((row) => row.toSorted((a, b) => a.x - b.x))];
}

export function isTitle({ placeholder }: Shape): boolean {
  return placeholder === 'title' || placeholder === 'ctrTitle';
}

/** Shapes in groups have the place of the outermost group, and stay together. */
function* shapesIn(
  tree: MarkupElement | undefined,
  places: ReadonlyMap<string, Place>,
  group: Place | undefined,
): Generator<Shape> {
  for (const node of childrenOf(tree)) {
    if (node.name === 'AlternateContent') {
      // The choice is for newer programs, the fallback repeats it for others.
      yield* shapesIn(childAt(node, 'Choice') ?? childAt(node, 'Fallback'), places, group);
      continue;
    }
    if (isHidden(node)) continue;
    const own = placeOf(
      childAt(node, 'spPr', 'xfrm') ?? childAt(node, 'grpSpPr', 'xfrm') ?? childAt(node, 'xfrm'),
    );
    if (node.name === 'grpSp') {
      yield* shapesIn(node, places, group ?? own);
      continue;
    }
    if (!['sp', 'graphicFrame', 'pic', 'cxnSp'].includes(node.name)) continue;
    const ph = placeholderOf(node);
    const inherited = ph && (places.get(`idx ${ph.attributes['idx']}`) ?? places.get(`type ${kindOf(ph)}`));
    const { x, y } = group ?? own ?? inherited ?? { x: 0, y: 0 };
    yield { node, placeholder: ph && typeOf(ph), x, y };
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
  const place = { x: Number(x), y: Number(y) };
  return Number.isFinite(place.x) && Number.isFinite(place.y) ? place : undefined;
}
