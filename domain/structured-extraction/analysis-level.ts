/** "quick (4K output tokens), default (8K, default), standard (8K), thorough (16K), critical (16K)" */
export const ANALYSIS_LEVELS = ['quick', 'default', 'standard', 'thorough', 'critical'] as const;
export type AnalysisLevel = (typeof ANALYSIS_LEVELS)[number];

interface LevelRule {
  maxOutputTokens: number;
  credits: number;
}

const STANDARD: LevelRule = { maxOutputTokens: 8192, credits: 2 };
const THOROUGH: LevelRule = { maxOutputTokens: 16_384, credits: 4 };

/** What an extraction of each level may answer, and what it costs. */
export const LEVEL_RULES: Readonly<Record<AnalysisLevel, LevelRule>> = {
  quick: { maxOutputTokens: 4096, credits: 1 },
  default: STANDARD,
  standard: STANDARD,
  thorough: THOROUGH,
  critical: THOROUGH,
};
