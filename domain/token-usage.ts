/** Tokens of one or more calls of a model, as its provider counts and bills them. */
export interface TokenUsage {
  /** All of the prompt, what was read from or written to a cache included. */
  inputTokens: number;
  /** All that the model wrote, its thinking included. */
  outputTokens: number;
  /** The part of the output that is thinking; null where the provider does not say. */
  thinkingTokens: number | null;
  /** The part of the input that the provider had in its cache. */
  cacheReadTokens: number;
  /** The part of the input that it put there. */
  cacheCreationTokens: number;
}

/** Of an answer that cost nothing, or of a provider that does not count. */
export const NO_TOKENS: Readonly<TokenUsage> = {
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: null,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
};

/** The sum of two calls; thinking is known as soon as one of them says it. */
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
