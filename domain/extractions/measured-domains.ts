import type { ImageFacts } from '../image-facts.ts';
import type { TextRegion } from '../text-region.ts';
import type { CategoryDomain } from './domains.ts';
import type { ExtractionResult } from './extraction.ts';
import { textBlocks } from './text-blocks.ts';

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
