import type { PageBox } from '../documents/page.ts';

/** `processing` until its workflow has recorded its end. */
export const EXTRACTION_STATUSES = ['processing', 'completed', 'failed'] as const;
export type ExtractionStatus = (typeof EXTRACTION_STATUSES)[number];

/** Source of an extraction's content; `upload` is the schema extraction requested with an upload. */
export const EXTRACTION_SOURCES = ['file', 'url', 'base64', 'upload'] as const;
export type ExtractionSource = (typeof EXTRACTION_SOURCES)[number];

/** Retention of extractions that belong to no file. */
export const EXTRACTION_DAYS = 30;

/** The position of a result value in the source. */
export interface Citation {
  /** The matched text, as recognised. */
  text: string;
  /** Position on its page; null for text without one. */
  boundingBox: PageBox | null;
  /** Numbered from 1. */
  page: number;
  /** 0–1: how well the text matches the value. */
  confidence: number;
}

/** By JSON pointer of a result leaf; leaves that were not found have no entry. */
export type Citations = Readonly<Record<string, Citation>>;
