import type { ImageFormat } from '../media.ts';
import type { ComplianceImageType, ComplianceType } from './compliance.ts';

/** The requirement of a rule. The numbers are measured; a `seen` rule is a question for a model. */
export type Demand =
  | { kind: 'formats'; formats: readonly ImageFormat[] }
  | { kind: 'min_width' | 'min_height' | 'min_longest_side' | 'max_longest_side'; pixels: number }
  | { kind: 'max_megapixels'; megapixels: number }
  | { kind: 'max_file_size'; megabytes: number }
  /** Width divided by height. */
  | { kind: 'aspect_ratio'; min: number; max: number }
  /** Share of the outermost pixels that are white. */
  | { kind: 'white_background'; share: number }
  /** Larger share of the frame's width or height that the subject fills. */
  | { kind: 'subject_size'; share: number }
  | { kind: 'no_border' | 'no_text_overlay' | 'no_watermark' | 'no_contact_details' }
  | { kind: 'seen'; name: string; expected: string };

export type Rule = Demand & {
  /** By default images in any position. */
  for?: ComplianceImageType;
};

/** Published rules for images, as data. */
export interface ComplianceStandard {
  title: string;
  /** Where the rules are published. */
  source: string;
  /** Month in which they were read, as YYYY-MM. */
  asOf: string;
  rules: readonly Rule[];
}

const WHITE: Rule = { kind: 'white_background', share: 0.95, for: 'main' };
const NO_OVERLAYS = [
  { kind: 'no_border' },
  { kind: 'no_text_overlay' },
  { kind: 'no_watermark' },
] as const satisfies Rule[];
const PRODUCT_ONLY: Rule = {
  kind: 'seen',
  name: 'product_only',
  expected: 'only the product for sale, without props, people or logos that are not part of it',
  for: 'main',
};
const REAL_PHOTOGRAPH: Rule = {
  kind: 'seen',
  name: 'real_photograph',
  expected: 'a real photograph, no drawing, rendering or placeholder',
};
const FRONT_EXTERIOR: Rule = {
  kind: 'seen',
  name: 'front_exterior',
  expected: 'the front exterior of the property, an aerial view of it, or its water view',
  for: 'main',
};
const NO_PEOPLE: Rule = { kind: 'seen', name: 'no_people', expected: 'no people' };
const NO_BRANDING: Rule = {
  kind: 'seen',
  name: 'no_branding',
  expected: 'no logo, portrait or yard sign of an agent or broker',
};
const NO_COLLAGE: Rule = { kind: 'seen', name: 'no_collage', expected: 'one picture, no collage' };
const LISTING_PHOTO = [...NO_OVERLAYS, { kind: 'no_contact_details' }, NO_PEOPLE, NO_BRANDING] as const;

/**
 * The supported standards. `general` holds the rules common to the others. When a publisher changes its rules, the
 * rules and `asOf` here change as well.
 */
const STANDARDS: Readonly<Record<ComplianceType, Readonly<Record<string, ComplianceStandard>>>> = {
  mls: {
    general: {
      title: 'Photographs of listings in general',
      source: 'Rules that multiple listing services share',
      asOf: '2026-11',
      rules: [
        { kind: 'formats', formats: ['jpeg', 'png'] },
        { kind: 'min_width', pixels: 1024 },
        { kind: 'min_height', pixels: 768 },
        { kind: 'max_file_size', megabytes: 15 },
        { kind: 'aspect_ratio', min: 1, max: 2 },
        ...LISTING_PHOTO,
        NO_COLLAGE,
        FRONT_EXTERIOR,
      ],
    },
    stellar_mls: {
      title: 'Stellar MLS',
      source: 'https://www.stellarmls.com, Rules and Regulations, Article 04',
      asOf: '2026-11',
      rules: [...LISTING_PHOTO, FRONT_EXTERIOR],
    },
  },
  marketplace: {
    general: {
      title: 'Product images of marketplaces in general',
      source: 'Rules that the marketplaces below share',
      asOf: '2026-11',
      rules: [
        { kind: 'formats', formats: ['jpeg', 'png', 'gif'] },
        { kind: 'min_longest_side', pixels: 1000 },
        { kind: 'max_file_size', megabytes: 10 },
        { kind: 'white_background', share: 0.95, for: 'main' },
        ...NO_OVERLAYS,
        PRODUCT_ONLY,
        REAL_PHOTOGRAPH,
      ],
    },
    amazon: {
      title: 'Amazon',
      source: 'https://sellercentral.amazon.com/help/hub/reference/G1881',
      asOf: '2026-11',
      rules: [
        { kind: 'formats', formats: ['jpeg', 'png', 'gif'] },
        { kind: 'min_longest_side', pixels: 1000 },
        { kind: 'max_longest_side', pixels: 10_000 },
        WHITE,
        { kind: 'subject_size', share: 0.85, for: 'main' },
        { kind: 'no_border', for: 'main' },
        { kind: 'no_text_overlay', for: 'main' },
        { kind: 'no_watermark' },
        PRODUCT_ONLY,
        { ...REAL_PHOTOGRAPH, for: 'main' },
      ],
    },
    ebay: {
      title: 'eBay',
      source: 'https://www.ebay.com/help/policies/listing-policies/picture-policy?id=4370',
      asOf: '2026-11',
      rules: [
        { kind: 'min_longest_side', pixels: 500 },
        { kind: 'max_file_size', megabytes: 12 },
        ...NO_OVERLAYS,
        REAL_PHOTOGRAPH,
      ],
    },
    google_merchant: {
      title: 'Google Merchant Center',
      source: 'https://support.google.com/merchants/answer/6324350',
      asOf: '2026-11',
      rules: [
        { kind: 'min_width', pixels: 100 },
        { kind: 'min_height', pixels: 100 },
        { kind: 'max_megapixels', megapixels: 64 },
        { kind: 'max_file_size', megabytes: 16 },
        ...NO_OVERLAYS,
        {
          kind: 'seen',
          name: 'no_placeholder',
          expected: 'the product itself, no placeholder, icon or generic picture',
        },
      ],
    },
  },
};

/** @param name case-insensitive */
export function findStandard(type: ComplianceType, name: string): ComplianceStandard | undefined {
  const standards = STANDARDS[type];
  const key = name.toLowerCase();
  return Object.hasOwn(standards, key) ? standards[key] : undefined;
}

/** The names of the supported standards. */
export function standardsOf(type: ComplianceType): string[] {
  return Object.keys(STANDARDS[type]);
}

/** The rules of a standard that apply to an image in its position. */
export function rulesFor(standard: ComplianceStandard, imageType: ComplianceImageType): Rule[] {
  return standard.rules.filter((rule) => (rule.for ?? imageType) === imageType);
}
