import type { PageImage, ParsedPage } from '../../domain/links/web-page.ts';
import { normalizeLink, pageLineOf } from '../../domain/links/web-link.ts';

/** The part of the DOM that metadata is read from. */
export interface MetaDocument {
  documentElement: { getAttribute(name: string): string | null } | null;
  querySelectorAll(selector: string): Iterable<MetaElement>;
}

interface MetaElement {
  textContent: string | null;
  getAttribute(name: string): string | null;
}

type PageMetadata = Omit<ParsedPage, 'elements' | 'note'>;

const MAX_LINE = 500;
const MAX_DESCRIPTION = 2_000;
const MAX_PROPERTIES = 60;
/** Maximum number of images considered; the choice among them is made later. */
const MAX_IMAGES_SEEN = 500;
const MAX_BLOCKS = 10;
const MAX_BLOCK_LENGTH = 200_000;
/** Maximum number of structured data entries considered. */
const MAX_ENTRIES = 200;

/**
 * The metadata that a page declares: Open Graph first, then Twitter card, JSON-LD and HTML.
 *
 * @param url of the page, to resolve relative URLs
 */
export function readMetadata(document: MetaDocument, url: string): PageMetadata {
  const base = normalizeLink(attributeOf(document, 'base[href]', 'href') ?? '', url) ?? url;
  const metadata = properties(document);
  const entries = structuredData(document);
  const of = (...names: string[]) => names.map((name) => metadata[name]).find((value) => value !== undefined);
  const stated = (key: string) =>
    entries.map((entry) => nameIn(entry[key])).find((value) => value !== undefined);
  // SVG drawings also have titles.
  const [titleElement] = document.querySelectorAll('title:not(svg *)');
  const title = of('og:title', 'twitter:title') ?? stated('headline') ?? titleElement?.textContent;
  const description = of('og:description', 'twitter:description', 'description') ?? stated('description');
  return {
    title: pageLineOf(title, MAX_LINE) ?? null,
    description: pageLineOf(description, MAX_DESCRIPTION) ?? null,
    siteName: pageLineOf(of('og:site_name', 'application-name'), MAX_LINE) ?? null,
    author: pageLineOf(of('author', 'article:author') ?? stated('author'), MAX_LINE) ?? null,
    publishedAt: pageLineOf(of('article:published_time', 'date') ?? stated('datePublished'), 64) ?? null,
    language: languageOf(
      document.documentElement?.getAttribute('lang') ?? of('og:locale', 'content-language'),
    ),
    canonicalUrl: normalizeLink(canonical(document) ?? '', base) ?? null,
    faviconUrl: favicon(document, base),
    metadata,
    types: [
      ...new Set(entries.flatMap(({ '@type': type }) => [type].flat().flatMap((each) => textIn(each) ?? []))),
    ]
      .slice(0, MAX_BLOCKS)
      .map((type) => type.slice(0, 100)),
    leadImage: leadImage(metadata, entries, base),
    movesTo: movesTo(document, base, url),
    images: imagesOf(document, base),
  };
}

function attributeOf(document: MetaDocument, selector: string, name: string): string | undefined {
  for (const element of document.querySelectorAll(selector)) {
    const value = element.getAttribute(name)?.trim();
    if (value) return value;
  }
  return undefined;
}

function canonical(document: MetaDocument): string | undefined {
  return attributeOf(document, 'link[rel~="canonical"]', 'href');
}

const REFRESH = /^\s*(\d{1,5})(?:\.\d{0,9})?[;,\s]\s{0,9}url\s{0,9}=\s{0,9}["']?([^"']{1,2000})/i;
/** Later, it is a page that is read until then. */
const MOVES_WITHIN_SECONDS = 30;

/** The other page that `<meta http-equiv="refresh">` opens; null if it loads itself again, or only without scripts. */
function movesTo(document: MetaDocument, base: string, url: string): string | null {
  for (const meta of document.querySelectorAll('meta[http-equiv]:not(noscript *)')) {
    if (meta.getAttribute('http-equiv')?.trim().toLowerCase() !== 'refresh') continue;
    const [, seconds, target = ''] = REFRESH.exec(meta.getAttribute('content') ?? '') ?? [];
    if (seconds === undefined || Number(seconds) > MOVES_WITHIN_SECONDS) return null;
    const moved = normalizeLink(target.trim(), base) ?? null;
    return moved === normalizeLink(url) ? null : moved;
  }
  return null;
}

/** The first value of each property, bounded. */
function properties(document: MetaDocument): Record<string, string> {
  const found = new Map<string, string>();
  for (const meta of document.querySelectorAll('meta')) {
    const name = (
      meta.getAttribute('property') ??
      meta.getAttribute('name') ??
      meta.getAttribute('http-equiv') ??
      ''
    ).toLowerCase();
    const value = pageLineOf(meta.getAttribute('content'), MAX_DESCRIPTION);
    if (!KEPT.test(name) || value === undefined || found.has(name)) continue;
    found.set(name, value);
    if (found.size === MAX_PROPERTIES) break;
  }
  return Object.fromEntries(found);
}

const KEPT =
  /^(og|article|book|profile|video|music|product|twitter):[\w:.-]{1,60}$|^(author|application-name|content-language|date|description|keywords|robots|theme-color)$/;

type Entry = Record<string, unknown>;

/** The JSON-LD entries of a page, in order; blocks that are not valid JSON are skipped. */
function structuredData(document: MetaDocument): Entry[] {
  const entries: Entry[] = [];
  let blocks = 0;
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    blocks += 1;
    const text = script.textContent ?? '';
    if (blocks > MAX_BLOCKS) break;
    if (text.length > MAX_BLOCK_LENGTH) continue;
    try {
      const parsed: unknown = JSON.parse(text);
      for (const each of [parsed].flat()) {
        const graph = (each as Entry | null)?.['@graph'];
        for (const entry of [each, ...(Array.isArray(graph) ? (graph as unknown[]) : [])]) {
          if (typeof entry === 'object' && entry !== null && entries.length < MAX_ENTRIES)
            entries.push(entry as Entry);
        }
      }
    } catch {
      // Other blocks may be well-formed.
    }
  }
  return entries;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function nameIn(value: unknown): string | undefined {
  const [first]: unknown[] = [value].flat();
  return textIn(first) ?? textIn((first as Entry | null | undefined)?.['name']);
}

function languageOf(tag: string | null | undefined): string | null {
  return /^([a-z]{2})([_-]|$)/i.exec(tag?.trim() ?? '')?.[1]?.toLowerCase() ?? null;
}

/** The icon that the page declares, otherwise the default that browsers request. */
function favicon(document: MetaDocument, base: string): string | null {
  const named =
    attributeOf(document, 'link[rel~="icon"]', 'href') ??
    attributeOf(document, 'link[rel~="apple-touch-icon"]', 'href');
  return normalizeLink(named ?? '/favicon.ico', base) ?? null;
}

function leadImage(
  metadata: Readonly<Record<string, string>>,
  entries: readonly Entry[],
  base: string,
): PageImage | null {
  const structured = entries.map(({ image }) => imageIn(image)).find((each) => each !== undefined);
  const named =
    metadata['og:image:secure_url'] ??
    metadata['og:image'] ??
    metadata['og:image:url'] ??
    metadata['twitter:image'] ??
    metadata['twitter:image:src'] ??
    structured;
  const src = named === undefined ? undefined : normalizeLink(named, base);
  if (src === undefined) return null;
  return {
    src,
    alt: metadata['og:image:alt'] ?? metadata['twitter:image:alt'] ?? null,
    width: pixels(metadata['og:image:width']),
    height: pixels(metadata['og:image:height']),
  };
}

function imageIn(value: unknown): string | undefined {
  const [first]: unknown[] = [value].flat();
  return textIn(first) ?? textIn((first as Entry | null | undefined)?.['url']);
}

function imagesOf(document: MetaDocument, base: string): PageImage[] {
  const images: PageImage[] = [];
  for (const image of document.querySelectorAll('img')) {
    if (images.length === MAX_IMAGES_SEEN) break;
    const largest = largestOf(image.getAttribute('srcset') ?? image.getAttribute('data-srcset'));
    // Pages with lazy loading have a placeholder in `src`.
    const named = image.getAttribute('data-src') ?? image.getAttribute('src') ?? largest;
    const src = normalizeLink(largest ?? named ?? '', base);
    if (src === undefined || (named === '' && largest === undefined)) continue;
    images.push({
      src,
      alt: pageLineOf(image.getAttribute('alt'), MAX_LINE) ?? null,
      width: pixels(image.getAttribute('width')),
      height: pixels(image.getAttribute('height')),
    });
  }
  return images;
}

const MAX_SRCSET = 10_000;

/** The widest candidate of a `srcset`. */
function largestOf(srcset: string | null): string | undefined {
  let best: { src: string; size: number } | undefined;
  for (const candidate of (srcset ?? '').slice(0, MAX_SRCSET).split(/,\s+/)) {
    const [src = '', descriptor = ''] = candidate.trim().split(/\s+/, 2);
    const size = Number.parseFloat(descriptor) || 1;
    if (src !== '' && (!best || size > best.size)) best = { src, size };
  }
  return best?.src;
}

function pixels(text: string | null | undefined): number | null {
  const given = /^\s*(\d{1,5})(px)?\s*$/.exec(text ?? '')?.[1];
  const number = Number(given);
  return given !== undefined && number > 0 ? number : null;
}
