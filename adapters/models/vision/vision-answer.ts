import { MAX_TAG_LENGTH, MAX_TAGS } from '../../../domain/limits.ts';
import type { DetectedObject } from '../../../domain/image-analysis.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';

/** Metadata of the calls behind every answer. */
export interface Answered {
  /** Zero if the model is free of charge or does not report it. */
  usage: TokenUsage;
  /** Identifies the prompt, or the rules, behind the answer. */
  promptVersion: string;
  /** 0–1 by the model's own rating; null without one. */
  confidence: number | null;
}

export interface VisionAnswer extends Answered {
  /** Plain text of 1–4,000 characters. */
  description: string;
  /** Lower case, unique, within the limits of the contract. */
  tags: string[];
  /** What was found and where; absent from models that say no places. */
  objects?: readonly DetectedObject[];
  /** Of the answer, where it is not that of the model that was asked. */
  provider?: string;
  model?: string;
}

const MAX_DESCRIPTION = 4_000;

/** Plain text of one or more lines, bounded, without control characters, which text columns may reject. */
export function cleanText(text: string, maxLength = MAX_DESCRIPTION): string {
  const plain = text
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/(?!\n)\p{Cc}/gu, ' ')
    .trim();
  if (plain.length <= maxLength) return plain;
  const space = plain.lastIndexOf(' ', maxLength - 1);
  const cut = plain.slice(0, space > maxLength / 2 ? space : maxLength - 1);
  return `${cut.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}

/** Tags in lower case, without duplicates, in the order given. Overlong ones are sentences and are dropped. */
export function cleanTags(tags: readonly string[]): string[] {
  const cleaned = tags
    .map((tag) => tag.normalize('NFC').toWellFormed().toLowerCase())
    .map((tag) => tag.replaceAll(/[\p{Cc}\s]+/gu, ' ').replace(/^[#\s]+/, ''))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && tag.length <= MAX_TAG_LENGTH);
  return [...new Set(cleaned)].slice(0, MAX_TAGS);
}
