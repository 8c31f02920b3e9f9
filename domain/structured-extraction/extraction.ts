import type { PageBox } from 'darkroom-reader/document';
import type { UsageLevel } from '../operations.ts';
import type { JsonSchema } from './json-schema.ts';

/** `processing` until its workflow has recorded its end. */
export const EXTRACTION_STATUSES = ['processing', 'completed', 'failed'] as const;

/** Source of an extraction's content; `upload` is the schema extraction requested with an upload. */
export const EXTRACTION_SOURCES = ['file', 'url', 'base64', 'upload'] as const;

/** The provider of results by built-in rules. */
export const LOCAL_PROVIDER = 'local';

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

/** "quick (4K output tokens), default (8K, default), standard (8K), thorough (16K), critical (16K)" */
export const ANALYSIS_LEVELS = ['quick', 'default', 'standard', 'thorough', 'critical'] as const;
export type AnalysisLevel = (typeof ANALYSIS_LEVELS)[number];

interface LevelRule {
  maxOutputTokens: number;
  /** The usage level it is charged as. */
  usage: UsageLevel;
}

/** Output limit and usage level of an extraction, by analysis level. */
export const LEVEL_RULES: Readonly<Record<AnalysisLevel, LevelRule>> = {
  quick: { maxOutputTokens: 4096, usage: 'quick' },
  default: { maxOutputTokens: 8192, usage: 'standard' },
  standard: { maxOutputTokens: 8192, usage: 'standard' },
  thorough: { maxOutputTokens: 16_384, usage: 'thorough' },
  critical: { maxOutputTokens: 16_384, usage: 'critical' },
};

/** `draft`: usable in single extractions; `live`: uploads and projects may name it as well. */
export const SCHEMA_STATUSES = ['draft', 'live'] as const;
export type SchemaStatus = (typeof SCHEMA_STATUSES)[number];

/** The schema of an extraction; `id` and `version` are set for a saved one. */
export interface UsedSchema {
  schema: JsonSchema;
  saved?: { id: string; version: number };
  /** The default prompt of its extractions. */
  promptHint: string | null;
}
