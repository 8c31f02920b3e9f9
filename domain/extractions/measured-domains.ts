import type { ImageFacts } from '../image-facts.ts';
import type { TextRegion } from '../text-region.ts';
import type { CategoryDomain } from './domains.ts';
import type { ExtractionResult } from './extraction.ts';
import { textBlocks } from './text-blocks.ts';

/** What is known of an image without a model. */
export interface MeasuredImage {
  facts: ImageFacts;
  /** Null where the text was not read. */
  textRegions: readonly TextRegion[] | null;
}

/** The part of a domain that was measured, and what a model would add. */
export interface Measured {
  found: Partial<ExtractionResult>;
  /** The kinds of things that were not looked for. */
  missing: string;
}

/** The measurable part of each domain; a domain that is absent has none. Nothing is guessed. */
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

/** @returns null where nothing of the domain can be measured */
export function measureDomain(domain: CategoryDomain, image: MeasuredImage): Measured | null {
  return MEASURES[domain]?.(image) ?? null;
}

const LIGHT = 0.6;
const DARK = 0.4;

function themeOf({ brightness }: ImageFacts): 'light' | 'dark' | null {
  if (brightness >= LIGHT) return 'light';
  return brightness <= DARK ? 'dark' : null;
}

/** A label of a few words, a colon, and a value in the same line. */
const FIELD = /^(?<label>\p{L}[^:]{0,39}?)\s*:\s+(?<value>\S.*)$/u;

function fieldOf({ text, box }: TextRegion) {
  const { label, value } = FIELD.exec(text)?.groups ?? {};
  return label && value ? [item(box, { kind: 'field', label, value })] : [];
}

/** Measurements have no confidence that anybody has calibrated. */
function item({ xMin, yMin, xMax, yMax }: TextRegion['box'], fields: Readonly<Record<string, unknown>>) {
  return {
    ...fields,
    bounding_box: { x_min: xMin, y_min: yMin, x_max: xMax, y_max: yMax },
    confidence: null,
  };
}
