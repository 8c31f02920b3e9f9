import type { PageElement } from 'darkroom-reader/document';
import { MAX_TITLE_LENGTH } from '../limits.ts';
import { acceptedCanonical, normalizeLink, pageLineOf } from './web-link.ts';

/** Maximum size of a page in bytes. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;
/** Maximum size in bytes of an image on a page. */
export const MAX_PREVIEW_BYTES = 20 * 1024 * 1024;
/** Maximum number of images recorded per page. */
export const MAX_PAGE_IMAGES = 20;
/** How often a page may move to another by itself. */
export const MAX_PAGE_MOVES = 5;
/** Maximum number of images tried for a preview. */
export const PREVIEW_CANDIDATES = 3;

/** An image on a page, with its declared size. */
export interface PageImage {
  src: string;
  alt: string | null;
  width: number | null;
  height: number | null;
}

/** The metadata and content of a page, as parsed. */
export interface ParsedPage {
  title: string | null;
  description: string | null;
  siteName: string | null;
  author: string | null;
  /** ISO 8601, or the text on the page. */
  publishedAt: string | null;
  /** ISO 639-1; null if neither declared nor detected. */
  language: string | null;
  canonicalUrl: string | null;
  faviconUrl: string | null;
  /** Open Graph and Twitter card properties, by name. */
  metadata: Record<string, string>;
  /** Types in the JSON-LD, such as `Article`. */
  types: string[];
  /** The image named by the metadata. */
  leadImage: PageImage | null;
  /** In the order of the page. */
  images: PageImage[];
  /** The readable content. */
  elements: PageElement[];
  /** What its readers should know: that its encoding is a guess, that it has no text. */
  note: string | null;
  /** The page that it moves to by itself, as a browser shows it. */
  movesTo: string | null;
}

/**
 * The images of a page to record, without duplicates: first the one named by the metadata, then the others,
 * without icons and tracking pixels by their declared size.
 */
export function choosePageImages({
  leadImage,
  images,
}: Pick<ParsedPage, 'leadImage' | 'images'>): PageImage[] {
  const chosen = new Map<string, PageImage>();
  for (const image of [...(leadImage ? [leadImage] : []), ...images]) {
    const src = normalizeLink(image.src);
    if (src === undefined || isIcon(image)) continue;
    const known = chosen.get(src);
    if (!known && chosen.size === MAX_PAGE_IMAGES) continue;
    chosen.set(src, {
      src,
      alt: known?.alt ?? image.alt,
      width: known?.width ?? image.width,
      height: known?.height ?? image.height,
    });
  }
  return [...chosen.values()];
}

const ICON_SIDE = 48;

function isIcon({ width, height }: PageImage): boolean {
  return (width !== null && width <= ICON_SIDE) || (height !== null && height <= ICON_SIDE);
}

/** The images to try for a preview, best first: the one named by the metadata, then the largest. */
export function previewCandidates(
  images: readonly PageImage[],
  leadImage: string | null | undefined,
): PageImage[] {
  const area = ({ width, height }: PageImage) => (width ?? 0) * (height ?? 0);
  const isLead = ({ src }: PageImage) => Number(leadImage != null && src === leadImage);
  return images.toSorted((a, b) => isLead(b) - isLead(a) || area(b) - area(a)).slice(0, PREVIEW_CANDIDATES);
}

/** The title of a file, taken from its page; null without one. */
export function pageTitle({ title }: { title?: string | null | undefined }): string | null {
  return pageLineOf(title, MAX_TITLE_LENGTH) ?? null;
}

/** The URL that identifies a page that was fetched from `finalUrl`. */
export function canonicalOf(finalUrl: string, { canonicalUrl }: Pick<ParsedPage, 'canonicalUrl'>): string {
  return acceptedCanonical(finalUrl, canonicalUrl ?? undefined);
}
