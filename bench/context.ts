import type { Stack } from '../dev/launcher/stack.ts';

/** What a part of the benchmark gets. */
export interface BenchContext {
  /** Measured rounds of each comparison, after one that warms up. */
  rounds: number;
  /** A photograph for V1 and W2; without one V1 paints a picture, and W2 takes small samples. */
  photograph?: Uint8Array | undefined;
  /** A folder of photographs for S2; without one the samples are taken. */
  photographs?: string | undefined;
  /** Files in the larger of the two accounts of L1. */
  rows: number;
  /** Real servers and the API, without worker processes. Started by the first part that asks. */
  stack: () => Promise<Stack>;
  /** Tells people what is being measured now. */
  progress: (text: string) => void;
}

/** A part of the benchmark. Resolves to one line for each figure. */
export type BenchPart = (context: BenchContext) => Promise<string[]>;
