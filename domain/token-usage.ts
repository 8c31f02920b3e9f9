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

/** The sum of two calls; thinking is set once either of them reports it. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    thinkingTokens:
      a.thinkingTokens === null && b.thinkingTokens === null
        ? null
        : (a.thinkingTokens ?? 0) + (b.thinkingTokens ?? 0),
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  };
}
