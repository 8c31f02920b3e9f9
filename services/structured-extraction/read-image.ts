import { buffer } from 'node:stream/consumers';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sniffContentType } from '../../engines/content-sniffer/content-sniffer.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { MAX_FETCHED_IMAGE_BYTES, MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { MAGIC_BYTES } from '../../domain/media.ts';
import { EXTRACTION_WORKFLOWS, type ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { acceptedContent, acceptedFormats } from '../uploads/accepted-content.ts';
import {
  objectOf,
  storeExtractionObject,
  ContentMissing,
  findExtractionTarget,
  findExtractedFile,
} from './extraction-target.ts';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import type { RecognisedWord } from '../../engines/text-recogniser/text-regions.ts';
import type { TextRecogniser } from '../../engines/text-recogniser/text-recogniser.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import type { PageLine, ReadPage } from '../../domain/structured-extraction/read-page.ts';
import { FINE_PIXELS } from '../images/model-image.ts';
import { storable } from '../shared/sql.ts';

/**
 * Fetches an extraction's image from its URL, once.
 *
 * @throws ExtractionOver, ContentMissing for content that is not an image, and the errors of the fetch and of the store
 */
export async function fetchImage(
  { em, objects, web }: { em: EntityManager; objects: ObjectStore; web: WebFetch },
  target: ExtractionTarget,
  signal: AbortSignal,
): Promise<void> {
  const extraction = await findExtractionTarget(em, target);
  const { sourceUrl } = extraction;
  if (!sourceUrl || objectOf(extraction, 'input') !== undefined) return;
  const bytes = await buffer(await web.open(sourceUrl, { maxBytes: MAX_FETCHED_IMAGE_BYTES, signal }));
  const type = await sniffContentType(bytes.subarray(0, MAGIC_BYTES));
  if (!type?.startsWith('image/')) {
    throw new ContentMissing(`there is no image behind the URL: it has to be ${acceptedFormats('image')}`);
  }
  const { contentType } = acceptedContent(type);
  await storeExtractionObject({ em, objects }, target, 'input', { bytes, contentType });
}

interface ImageDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** As for the visible text of an image, see services/images/read-text.ts. */
const DETECTION = { maxDimension: 1024, maxEnlargement: 1 };
const RECOGNITION = { maxDimension: 2000, maxEnlargement: 2 };

/** Assumed resolution of images, which do not state their page size: the usual one of scanners. */
const SUPPOSED_DPI = 200;

/**
 * Renders the image of an extraction for a model: upright, without metadata.
 *
 * @throws ExtractionOver, ContentMissing, ObjectNotFound, and the errors of the decoder
 */
export async function renderImage(
  deps: ImageDeps,
  target: ExtractionTarget,
  signal: AbortSignal,
): Promise<void> {
  const original = await readOriginal(deps, target, signal);
  const view = await deps.decoder.view(original, {
    maxDimension: FINE_PIXELS,
    tenantId: target.tenantId,
    label: EXTRACTION_WORKFLOWS.of(target.extractionId),
    signal,
  });
  await storeExtractionObject(deps, target, 'image', view);
}

/**
 * Recognises the text of an extraction's image, with its structure and its lines.
 *
 * @throws ExtractionOver, ContentMissing, ObjectNotFound, TextOverBudget, and the errors of decoder and recogniser
 */
export async function readImage(
  deps: ImageDeps & { recogniser: TextRecogniser; text: TextWork },
  target: ExtractionTarget,
  signal: AbortSignal,
): Promise<void> {
  const { em, decoder, recogniser, text: work } = deps;
  const original = await readOriginal(deps, target, signal);
  const { tenantId, extractionId } = target;
  const options = { tenantId, label: EXTRACTION_WORKFLOWS.of(extractionId), signal };
  const small = await decoder.grey(original, { ...DETECTION, ...options });
  let readPage: ReadPage = { pageNumber: 1, elements: [], lines: [] };
  if (await recogniser.hasText(small, options)) {
    const image = await decoder.grey(original, { ...RECOGNITION, ...options });
    const words = await recogniser.readWords(image, options);
    const { width, height, data: grey } = image;
    const { elements } = await work.layOutWords(
      {
        pageNumber: 1,
        raster: { width, height, grey, dpi: SUPPOSED_DPI, turns: 0 },
        words: words.map(({ bbox, ...word }) => ({ ...word, ...bbox })),
        profile: null,
      },
      { tenantId, signal },
    );
    readPage = { pageNumber: 1, elements, lines: linesOfWords(words, image) };
  }
  await em.nativeUpdate(
    SchemaExtraction,
    { id: target.extractionId, tenantId: target.tenantId, status: 'processing' },
    { readPage: storable(readPage) },
  );
}

async function readOriginal(
  { em, objects }: ImageDeps,
  target: ExtractionTarget,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const extraction = await findExtractionTarget(em, target);
  const file = await findExtractedFile(em, extraction);
  const key = file?.objectKey ?? objectOf(extraction, 'input');
  if (key === undefined) throw new ContentMissing('the image is gone');
  return objects.read(key, { maxBytes: MAX_STREAMED_BYTES, signal });
}

/** Minimum confidence; words below it are guesses at specks and textures. */
const CREDIBLE = 35;

/** Words arrive line by line: a new line begins when a word stands left of the previous one. */
function linesOfWords(
  words: readonly RecognisedWord[],
  { width, height }: { width: number; height: number },
): PageLine[] {
  const lines: RecognisedWord[][] = [];
  for (const word of words) {
    if (word.confidence < CREDIBLE || word.text.trim() === '') continue;
    const last = lines.at(-1);
    const before = last?.at(-1)?.bbox;
    const { x0, y0, y1 } = word.bbox;
    const goesOn = before && x0 >= before.x1 && y0 < before.y1 && y1 > before.y0;
    if (last && goesOn) last.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => {
    const [left, top] = [Math.min(...line.map((w) => w.bbox.x0)), Math.min(...line.map((w) => w.bbox.y0))];
    const [right, bottom] = [
      Math.max(...line.map((w) => w.bbox.x1)),
      Math.max(...line.map((w) => w.bbox.y1)),
    ];
    return {
      text: line.map(({ text }) => text.trim()).join(' '),
      box: {
        x: part(left, width),
        y: part(top, height),
        w: part(right - left, width),
        h: part(bottom - top, height),
      },
    };
  });
}

function part(pixels: number, side: number): number {
  return Math.round(Math.min(1, Math.max(0, pixels / side)) * 10_000) / 10_000;
}
