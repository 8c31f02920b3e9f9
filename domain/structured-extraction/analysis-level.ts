import type { UsageLevel } from '../operations.ts';

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
