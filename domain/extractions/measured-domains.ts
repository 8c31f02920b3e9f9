import type { ImageFacts, TextRegion } from '../image-analysis.ts';
import type { CategoryDomain, ExtractionResult } from './domains.ts';

/** Maximum gap between the lines of a block, as a share of their height. */
const GAP = 0.9;

/** Maximum ratio between the heights of lines in one block: a heading is a block of its own. */
const HEIGHT_RATIO = 1.6;

/** The facts about an image that are available without a model. */
export interface MeasuredImage {
  facts: ImageFacts;
  /** Null if the text was not read. */
  textRegions: readonly TextRegion[] | null;
}

/** The measured part of a domain, and the part that needs a model. */
export interface Measured {
  found: Partial<ExtractionResult>;
  /** The kinds of things that were not extracted. */
  missing: string;
}

/** The measurable part of each domain; absent domains have none. Nothing is guessed. */
const MEASURES: Readonly<Partial<Record<CategoryDomain, (image: MeasuredImage) => Measured | null>>> = {
  layout_region: ({ textRegions }) =>
    textRegions && {
      found: {
        items: textBlocks(textRegions).map(({ text, box }) =>
          item(box, { kind: 'text_block', title: null, text }),
        ),
      },
      missing: 'regions without text',
    },
  screenshot: ({ facts, textRegions }) =>
    textRegions && {
      found: {
        theme: themeOf(facts),
        items: textRegions.map(({ text, box }) => item(box, { kind: 'text', label: text, state: null })),
      },
      missing: 'application, view and controls',
    },
  document: ({ textRegions }) =>
    textRegions && {
      found: { items: textRegions.flatMap(fieldOf) },
      missing: 'kind of document, headings, tables, signatures and stamps',
    },
  artwork: ({ facts }) => ({
    found: { palette: facts.colours.map(({ name }) => name) },
    missing: 'subject, medium, technique and style',
  }),
};

/** @returns null if nothing of the domain can be measured */
export function measureDomain(domain: CategoryDomain, image: MeasuredImage): Measured | null {
  return MEASURES[domain]?.(image) ?? null;
}

const LIGHT = 0.6;
const DARK = 0.4;

function themeOf({ brightness }: ImageFacts): 'light' | 'dark' | null {
  if (brightness >= LIGHT) return 'light';
  return brightness <= DARK ? 'dark' : null;
}

/** A label of a few words, a colon, and a value on the same line. */
const FIELD = /^(?<label>\p{L}[^:]{0,39}?)\s*:\s+(?<value>\S.*)$/u;

function fieldOf({ text, box }: TextRegion) {
  const { label, value } = FIELD.exec(text)?.groups ?? {};
  return label && value ? [item(box, { kind: 'field', label, value })] : [];
}

/** Measurements have no calibrated confidence. */
function item({ xMin, yMin, xMax, yMax }: TextRegion['box'], fields: Readonly<Record<string, unknown>>) {
  return {
    ...fields,
    bounding_box: { x_min: xMin, y_min: yMin, x_max: xMax, y_max: yMax },
    confidence: null,
  };
}

/** Groups lines of text, from top to bottom, into visual blocks. Their texts keep the line breaks. */
function textBlocks(lines: readonly TextRegion[]): TextRegion[] {
  const blocks: { texts: string[]; box: TextRegion['box']; last: TextRegion['box'] }[] = [];
  for (const { text, box } of lines.toSorted((a, b) => a.box.yMin - b.box.yMin)) {
    const block = blocks.find(({ last, box: whole }) => continues(last, box) && overlaps(whole, box));
    if (!block) {
      blocks.push({ texts: [text], box, last: box });
      continue;
    }
    block.texts.push(text);
    block.box = union(block.box, box);
    block.last = box;
  }
  return blocks.map(({ texts, box }) => ({ text: texts.join('\n'), box }));
}

function continues(above: TextRegion['box'], below: TextRegion['box']): boolean {
  const [one, other] = [above.yMax - above.yMin, below.yMax - below.yMin];
  const smaller = Math.min(one, other);
  if (smaller <= 0 || Math.max(one, other) / smaller > HEIGHT_RATIO) return false;
  return below.yMin - above.yMax <= GAP * Math.max(one, other) && below.yMin > above.yMin;
}

function overlaps(one: TextRegion['box'], other: TextRegion['box']): boolean {
  return one.xMin < other.xMax && other.xMin < one.xMax;
}

function union(one: TextRegion['box'], other: TextRegion['box']): TextRegion['box'] {
  return {
    xMin: Math.min(one.xMin, other.xMin),
    yMin: Math.min(one.yMin, other.yMin),
    xMax: Math.max(one.xMax, other.xMax),
    yMax: Math.max(one.yMax, other.yMax),
  };
}
