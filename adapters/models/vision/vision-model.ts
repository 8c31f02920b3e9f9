import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { ImageFacts, TextRegion } from '../../../domain/image-analysis.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import type { JsonSchema } from '../structured/answer-check.ts';
import type { DocumentModel } from './document-model.ts';
import type { ModelCall } from './model-work.ts';
import type { Answered, VisionAnswer } from './vision-answer.ts';

export interface VisionInput {
  /** Loads the image. Called at most once, and only by models that need its pixels. */
  image(): Promise<{ bytes: Uint8Array; contentType: string }>;
  facts: ImageFacts;
  /** Pixels of the upright original. */
  width: number;
  height: number;
  /** Of the original, for example `jpeg`. */
  format: string;
  /** The client's file name: a hint, never trusted. */
  filename: string;
  /** What the client says the image shows, see domain/content-categories.ts. */
  contentCategory: string;
  /** Text already recognised in the image. */
  visibleText?: string;
  /** The lines of that text, with their places. */
  textRegions?: readonly TextRegion[];
}

/** What was read on pages, or in one image, to extract data from. */
export interface PagesInput {
  /** Loads the image that the one page is; absent where there is only text. */
  image?(): Promise<{ bytes: Uint8Array; contentType: string }>;
  /** The client's file name: a hint, never trusted. */
  filename: string;
  pages: readonly ReadPage[];
}

export interface Classification extends Answered {
  category: ContentCategory;
}

export interface ExtractionRequest {
  /** Of what is read, for the model. */
  name: string;
  /** JSON Schema (2020-12) of an object. A top-level number `confidence` in it is the model's rating of itself. */
  schema: JsonSchema;
  /** What to look for, and how. */
  instructions: string;
  /** Of the instructions. */
  promptVersion: string;
  maxOutputTokens: number;
  /** The client's own words, which add to the instructions. */
  prompt?: string;
}

export interface Extraction extends Answered {
  /** Valid against the schema. */
  data: unknown;
  /** Whether the model needed to see the errors of a first answer. */
  repaired: boolean;
}

/**
 * A model that sees images. It does not retry: the workflow engine does. Each call throws a ModelError; what
 * `image()` throws and the reason of the signal pass through unchanged.
 */
export interface VisionModel {
  /** Selects the task queue of its calls, which has the provider's rate limit. */
  provider: string;
  model: string;
  /** Whether it answers within this process, at once and at no cost: then no limit of its queue matters. */
  inProcess: boolean;
  /** Describes one image. */
  describe(input: VisionInput, options: { signal: AbortSignal }): Promise<VisionAnswer>;
  /** Chooses the category of one image; `general` when it cannot tell. */
  classify(input: VisionInput, options: { signal: AbortSignal }): Promise<Classification>;
  /** Reads data of a given shape out of one image, or out of pages. */
  extract(input: VisionInput | PagesInput, request: ExtractionRequest, call: ModelCall): Promise<Extraction>;
  /** Absent where documents are left to rules. */
  documents?: DocumentModel;
}
