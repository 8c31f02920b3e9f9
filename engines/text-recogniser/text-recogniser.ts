import type { TextRegion } from '../../domain/image-analysis.ts';
import type { RecognisedWord } from './text-regions.ts';

/** Luminance, 8 bits per pixel, row by row, upright, with dark or light text. */
export interface ReadableImage {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Quarter turns clockwise. */
export type Turns = 0 | 1 | 2 | 3;

export interface RecogniseOptions {
  /** The tenant, for fair sharing of the recognisers. */
  tenantId: string;
  /** Aborting stops the work immediately and rejects with the reason. */
  signal: AbortSignal;
  /** Of the text; those that are not available are ignored. Without any, it is read in the one its words are of. */
  languages?: readonly string[];
}

/**
 * Reads the text in images. All methods throw RecogniserCrashed, RecogniserTimeout, RecogniserClosed or the abort
 * reason.
 */
export interface TextRecogniser {
  /** Whether the layout contains text. A small image is enough; no characters are recognised. */
  hasText(image: ReadableImage, options: RecogniseOptions): Promise<boolean>;
  /** The lines of text in reading order. Letters under 8 pixels are unreliable. */
  read(image: ReadableImage, options: RecogniseOptions): Promise<TextRegion[]>;
  /** All words line by line, including doubtful ones, with boxes in pixels: for a separate layout. */
  readWords(image: ReadableImage, options: RecogniseOptions): Promise<RecognisedWord[]>;
  /** By how many a page of text lies turned, without reading it; undefined if that is unsure, or its model is missing. */
  findTurns(page: ReadableImage, options: RecogniseOptions): Promise<Turns | undefined>;
  /** Those that suit the text in an image, for others of the same document; undefined if it is not legible in any. */
  findLanguages(image: ReadableImage, options: RecogniseOptions): Promise<readonly string[] | undefined>;
  /** Stops all recognisers. Waiting and running tasks are rejected. */
  close(): Promise<void>;
}

/** The recogniser crashed on an image and was discarded. Retryable. */
export class RecogniserCrashed extends Error {
  override readonly name = 'RecogniserCrashed';

  constructor(cause: unknown) {
    super('The text recogniser broke.', { cause });
  }
}

/** The image exceeded its budget of processor time; its recogniser was discarded. A retry would exceed it as well. */
export class RecogniserTimeout extends Error {
  override readonly name = 'RecogniserTimeout';

  constructor(cpuMs: number) {
    super(`The text was not recognised within ${Math.round(cpuMs / 1000)} s of processor time.`);
  }
}

/** The pool of recognisers was closed before the image was processed. */
export class RecogniserClosed extends Error {
  override readonly name = 'RecogniserClosed';

  constructor() {
    super('The text recogniser is closed.');
  }
}
