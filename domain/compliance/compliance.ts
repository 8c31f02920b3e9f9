/** State of a file's compliance check. */
export const COMPLIANCE_STATUSES = ['not_checked', 'passed', 'failed', 'error'] as const;
export type ComplianceStatus = (typeof COMPLIANCE_STATUSES)[number];

export const COMPLIANCE_TYPES = ['mls', 'marketplace'] as const;
export type ComplianceType = (typeof COMPLIANCE_TYPES)[number];

/** Position of an image in its listing. */
export const COMPLIANCE_IMAGE_TYPES = ['main', 'secondary'] as const;
export type ComplianceImageType = (typeof COMPLIANCE_IMAGE_TYPES)[number];

/** The standards to check an image against. */
export interface ComplianceRequest {
  type: ComplianceType;
  standard: string;
  imageType: ComplianceImageType;
}

/** Measurements at the edges of an image. Shares are 0–1; transparent pixels count as white. */
export interface Margins {
  /** Share of the pixels of the outermost ring that are white. */
  whiteRing: number;
  /** Width and height of the non-white area, as shares of the image; null for a white image. */
  subject: { width: number; height: number } | null;
  /**
   * Depth of a single-coloured band at each side, as a share of the image, if it ends in a straight line along that
   * side as an added border does; otherwise 0.
   */
  bands: { top: number; right: number; bottom: number; left: number };
}

/** Email addresses, web addresses, and telephone numbers with separators. */
const CONTACTS = [
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[a-z]{2,}/iu,
  /\b(?:https?:\/\/|www\.)[^\s]+/iu,
  /(?<!\d)(?:\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)/u,
  /\+\d{1,3}(?:[ .-]?\d){7,12}(?!\d)/u,
];
/** Watermarks that owners put across images. */
const MARKS = [
  /©\s*\p{L}[^\n]*/u,
  /\bcopyright\b/iu,
  /\b(?:shutterstock|istock|gettyimages|dreamstime|alamy|depositphotos)\b/iu,
];

/** The contact detail in a line of text. */
export function findContact(text: string): string | undefined {
  return first(CONTACTS, text);
}

/** The owner's watermark in a line of text. */
export function findMark(text: string): string | undefined {
  return first(MARKS, text);
}

function first(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const [match] = pattern.exec(text) ?? [];
    if (match) return match;
  }
  return undefined;
}
