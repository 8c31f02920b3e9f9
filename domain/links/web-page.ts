import type { PageElement } from '../documents/page.ts';
import { MAX_TITLE_LENGTH } from '../limits.ts';
import { acceptedCanonical, normalizeLink, pageLineOf } from './web-link.ts';

/** Bytes of a page; longer ones are refused. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;
/** Bytes of an image that a page names. */
export const MAX_PREVIEW_BYTES = 20 * 1024 * 1024;
/** Images of a page that are recorded. */
export const MAX_PAGE_IMAGES = 20;
/** Images that are tried for a preview, best first. */
export const PREVIEW_CANDIDATES = 3;

/** An image that a page shows; its size is the declared one. */
export interface PageImage {
  src: string;
  alt: string | null;
  width: number | null;
  height: number | null;
}

/** What a page says of itself and shows, as its parser found it. */
export interface ParsedPage {
  title: string | null;
  description: string | null;
  siteName: string | null;
  author: string | null;
  /** ISO 8601, or as the page writes it. */
  publishedAt: string | null;
  /** ISO 639-1; null if the page does not say and its text does not tell. */
  language: string | null;
  canonicalUrl: string | null;
  faviconUrl: string | null;
  /** Open Graph and Twitter card properties, by their names. */
  metadata: Record<string, string>;
  /** Types of its JSON-LD, such as `Article`. */
  types: string[];
  /** The image that its metadata names. */
  leadImage: PageImage | null;
  /** In the order of the page. */
  images: PageImage[];
  /** Its readable content. */
  elements: PageElement[];
}

/**
 * The recorded images of a page, each once: the one that its metadata names, then those that it shows, without declared
 * icons and counting pixels.
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

/** The images to try for a preview, best first: the one that the page names for this, then the largest. */
export function previewCandidates(
  images: readonly PageImage[],
  leadImage: string | null | undefined,
): PageImage[] {
  const area = ({ width, height }: PageImage) => (width ?? 0) * (height ?? 0);
  const isLead = ({ src }: PageImage) => Number(leadImage != null && src === leadImage);
  return images.toSorted((a, b) => isLead(b) - isLead(a) || area(b) - area(a)).slice(0, PREVIEW_CANDIDATES);
}

/** The title of a file by its page; null without one. */
export function pageTitle({ title }: { title?: string | null | undefined }): string | null {
  return pageLineOf(title, MAX_TITLE_LENGTH) ?? null;
}

/** The URL that identifies a page, given where it was found. */
export function canonicalOf(finalUrl: string, { canonicalUrl }: Pick<ParsedPage, 'canonicalUrl'>): string {
  return acceptedCanonical(finalUrl, canonicalUrl ?? undefined);
}
