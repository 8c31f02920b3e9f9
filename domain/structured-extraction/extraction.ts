import type { PageBox } from '../documents/page.ts';

/** `processing` until its workflow has recorded an end. */
export const EXTRACTION_STATUSES = ['processing', 'completed', 'failed'] as const;
export type ExtractionStatus = (typeof EXTRACTION_STATUSES)[number];

/** Where the content of an extraction comes from; `upload` is the schema extraction of an upload, asked for with its upload. */
export const EXTRACTION_SOURCES = ['file', 'url', 'base64', 'upload'] as const;
export type ExtractionSource = (typeof EXTRACTION_SOURCES)[number];

/** Extractions that belong to no file are removed after so many days. */
export const EXTRACTION_DAYS = 30;

/** Where a value of the result was read. */
export interface Citation {
  /** The text that it was found in, as recognised. */
  text: string;
  /** On its page; null where text has no place. */
  boundingBox: PageBox | null;
  /** From 1. */
  page: number;
  /** 0–1: how well the text matches the value. */
  confidence: number;
}

/** By JSON pointer of a leaf of the result; leaves that were found nowhere have none. */
export type Citations = Readonly<Record<string, Citation>>;
