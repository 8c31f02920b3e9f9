import type { TokenUsage } from '../../../domain/token-usage.ts';

/** What every answer says about the calls behind it. */
export interface Answered {
  /** Zero where the model costs nothing or does not say. */
  usage: TokenUsage;
  /** Identifies the prompt, or the rules, behind the answer. */
  promptVersion: string;
  /** 0–1 as the model rates itself; null when it does not. */
  confidence: number | null;
}

export interface VisionAnswer extends Answered {
  /** Plain text of 1–4,000 characters. */
  description: string;
  /** Lower case, unique, within the limits of the contract. */
  tags: string[];
}
