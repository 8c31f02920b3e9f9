import { hasDomains } from '../extractions/domains-of.ts';
import type { UploadOptions } from '../uploads/upload-options.ts';
import type { ContentCategory } from '../content-categories.ts';

/** What of an upload asks for a component: that there is one, its `auto_describe`, something to extract, or a saved schema. */
export type Trigger = 'upload' | 'auto_describe' | 'extraction' | 'schema';

/** The part of an upload that determines which components are processed. */
export type ProcessingRequest = Pick<UploadOptions, 'autoDescribe' | 'compliance' | 'customSchemaId'> & {
  /** By default `general`. */
  contentCategory?: ContentCategory;
};

/** The triggers that a request contains. The category asks for nothing where a description is not wanted. */
export function triggersOf(request: ProcessingRequest): ReadonlySet<Trigger> {
  const { autoDescribe, contentCategory = 'general', compliance, customSchemaId } = request;
  const extraction =
    (autoDescribe && hasDomains(contentCategory)) || compliance !== undefined || customSchemaId !== undefined;
  return new Set<Trigger>([
    'upload',
    ...(autoDescribe ? (['auto_describe'] as const) : []),
    ...(extraction ? (['extraction'] as const) : []),
    ...(customSchemaId === undefined ? [] : (['schema'] as const)),
  ]);
}
