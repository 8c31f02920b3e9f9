import { hasDomains } from '../extractions/domains-of.ts';
import type { UploadOptions } from '../uploads/upload-options.ts';
import { AUTO_CATEGORY, type RequestedCategory } from '../content-categories.ts';

/** What of an upload asks for a component: that there is one, its `auto_describe`, something to extract, or a saved schema. */
export type Trigger = 'upload' | 'auto_describe' | 'extraction' | 'schema';

/** The part of an upload that determines which components are processed. */
export type ProcessingRequest = Pick<UploadOptions, 'autoDescribe' | 'compliance' | 'customSchemaId'> & {
  /** By default `general`. */
  contentCategory?: RequestedCategory;
};

/** The triggers that a request contains. The category asks for nothing where a description is not wanted. */
export function triggersOf(request: ProcessingRequest): ReadonlySet<Trigger> {
  const { autoDescribe, contentCategory = 'general', compliance, customSchemaId } = request;
  // Whether there is anything to extract is known when the image is classified.
  const mayHaveDomains = contentCategory === AUTO_CATEGORY || hasDomains(contentCategory);
  const extraction =
    (autoDescribe && mayHaveDomains) || compliance !== undefined || customSchemaId !== undefined;
  return new Set<Trigger>([
    'upload',
    ...(autoDescribe ? (['auto_describe'] as const) : []),
    ...(extraction ? (['extraction'] as const) : []),
    ...(customSchemaId === undefined ? [] : (['schema'] as const)),
  ]);
}
