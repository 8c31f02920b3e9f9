import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { ImageFacts, TextRegion } from '../../../domain/image-analysis.ts';
import type { VideoFacts } from '../../../domain/videos/video.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import type { JsonSchema } from '../../../engines/text-work/answer-check.ts';
import type { DocumentModel } from './document-model.ts';
import type { ModelCall } from './model-work.ts';
import type { Answered, VisionAnswer } from './vision-answer.ts';

export interface VisionInput {
  /** Loads the image. Called at most once, and only by models that need its pixels. */
  image: () => Promise<{ bytes: Uint8Array; contentType: string }>;
  facts: ImageFacts;
  /** Pixels of the upright original. */
  width: number;
  height: number;
  /** Format of the original, for example `jpeg`. */
  format: string;
  /** The client's file name: a hint, never trusted. */
  filename: string;
  /** The category given by the client, see domain/content-categories.ts. */
  contentCategory: string;
  /** Text already recognised in the image. */
  visibleText?: string;
  /** The lines of that text with their boxes. */
  textRegions?: readonly TextRegion[];
}

export interface VideoInput extends Pick<
  VideoFacts,
  'durationSeconds' | 'width' | 'height' | 'frameRate' | 'codec' | 'audioTracks'
> {
  /** Loads the key frames. Called at most once, and only by models that need their pixels. */
  images(): Promise<{ timeSeconds: number; bytes: Uint8Array; contentType: string }[]>;
  /** All key frames, by time. */
  keyFrames: readonly { timeSeconds: number; facts: ImageFacts; visibleText: string }[];
  /** Scenes found in it. */
  scenes: number;
  /** The client's file name: a hint, never trusted. */
  filename: string;
  /** Text recognised in any of the frames. */
  visibleText?: string;
}

/** Text of pages or of one image, to extract data from. */
export interface PagesInput {
  /** Loads the image of a single page; absent if there is only text. */
  image?(): Promise<{ bytes: Uint8Array; contentType: string }>;
  /** The client's file name: a hint, never trusted. */
  filename: string;
  pages: readonly ReadPage[];
}

export interface Classification extends Answered {
  category: ContentCategory;
}

export interface ExtractionRequest {
  /** Name of the extracted data, for the model. */
  name: string;
  /** JSON Schema (2020-12) of an object. A top-level number `confidence` in it is the model's own rating. */
  schema: JsonSchema;
  instructions: string;
  /** Version of the instructions. */
  promptVersion: string;
  maxOutputTokens: number;
  /** The client's additional instructions. */
  prompt?: string;
}

export interface Extraction extends Answered {
  /** Valid against the schema. */
  data: unknown;
  /** Whether the model had to repair a first answer. */
  repaired: boolean;
}

/**
 * A vision model. It does not retry: the workflow engine does. Each call throws a ModelError; errors of `image()` and
 * the reason of the signal pass through unchanged.
 */
export interface VisionModel {
  /** Selects the task queue of its calls, which has the provider's rate limit. */
  provider: string;
  model: string;
  /** Whether it answers within this process, at once and for free, so that queue limits do not matter. */
  inProcess: boolean;
  /** Whether an answer takes a few milliseconds, so that the fast path of a file may ask; by default as `inProcess`. */
  isFast?(): boolean;
  /** Describes one image. */
  describe(input: VisionInput, options: { signal: AbortSignal }): Promise<VisionAnswer>;
  /** Describes a video by its key frames. */
  describeVideo(input: VideoInput, options: { signal: AbortSignal }): Promise<VisionAnswer>;
  /** Chooses the category of one image; `general` if none can be determined. */
  classify(input: VisionInput, options: { signal: AbortSignal }): Promise<Classification>;
  /** Extracts data of a given shape from one image or from pages. */
  extract(input: VisionInput | PagesInput, request: ExtractionRequest, call: ModelCall): Promise<Extraction>;
  /** Absent if documents are handled by rules. */
  documents?: DocumentModel;
}
