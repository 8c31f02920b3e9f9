/** Tokens of one or more model calls, as counted and billed by the provider. */
export interface TokenUsage {
  /** The whole prompt, including tokens read from or written to a cache. */
  inputTokens: number;
  /** The whole output, including thinking. */
  outputTokens: number;
  /** The part of the output that is thinking; null if the provider does not report it. */
  thinkingTokens: number | null;
  /** The part of the input read from the provider's cache. */
  cacheReadTokens: number;
  /** The part of the input written to the cache. */
  cacheCreationTokens: number;
}

/** For an answer that cost nothing, or a provider that does not count tokens. */
export const NO_TOKENS: Readonly<TokenUsage> = {
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: null,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
};

/** Far above any call; the sum of two counts still fits a column. */
const MAX_TOKENS = 1_000_000_000;

/** Counts of a provider as whole numbers that can be stored and added. */
export function boundUsage({ thinkingTokens, ...usage }: TokenUsage): TokenUsage {
  return {
    inputTokens: bound(usage.inputTokens),
    outputTokens: bound(usage.outputTokens),
    thinkingTokens: thinkingTokens === null ? null : bound(thinkingTokens),
    cacheReadTokens: bound(usage.cacheReadTokens),
    cacheCreationTokens: bound(usage.cacheCreationTokens),
  };
}

function bound(count: number): number {
  return Math.trunc(Math.min(MAX_TOKENS, Math.max(0, count)));
}

/** The sum of two calls; thinking is set once either of them reports it. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return boundUsage({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    thinkingTokens:
      a.thinkingTokens === null && b.thinkingTokens === null
        ? null
        : (a.thinkingTokens ?? 0) + (b.thinkingTokens ?? 0),
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  });
}
