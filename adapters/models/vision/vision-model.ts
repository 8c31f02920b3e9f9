import type { ImageFacts } from '../../../domain/image-facts.ts';

export interface VisionInput {
  /** Loads the picture. Called at most once, and only by models that need its pixels. */
  image(): Promise<{ bytes: Uint8Array; contentType: string }>;
  facts: ImageFacts;
  /** Pixels of the upright original. */
  width: number;
  height: number;
  /** Of the original, for example `jpeg`. */
  format: string;
  /** The client's file name: a hint, never trusted. */
  filename: string;
  /** What the client says the picture shows, see domain/content-categories.ts. */
  contentCategory: string;
  /** Text already recognised in the picture. */
  visibleText?: string;
}

export interface VisionAnswer {
  /** Plain text of 1–4,000 characters. */
  description: string;
  /** Lower case, unique, within the limits of the contract. */
  tags: string[];
  /** Zero where the model costs nothing or does not say. */
  usage: { inputTokens: number; outputTokens: number };
  /** Identifies the prompt, or the rules, behind the answer. */
  promptVersion: string;
  /** 0–1 as the model rates itself; null when it does not. */
  confidence: number | null;
}

/** A model that describes pictures. */
export interface VisionModel {
  /** Selects the task queue of its calls, which has the provider's rate limit. */
  provider: string;
  model: string;
  /** Whether it answers within this process, at once and at no cost: then no limit of its queue matters. */
  inProcess: boolean;
  /**
   * Describes one picture. It does not retry: the workflow engine does.
   *
   * @throws ModelError; what `image()` throws and the reason of the signal pass through unchanged
   */
  describe(input: VisionInput, options: { signal: AbortSignal }): Promise<VisionAnswer>;
}
