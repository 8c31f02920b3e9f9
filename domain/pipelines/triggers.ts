import { hasDomains } from '../extractions/domains.ts';
import type { UploadOptions } from '../uploads/upload-options.ts';
import { AUTO_CATEGORY, type RequestedCategory } from '../content-categories.ts';

/**
 * The properties of an upload that request a component or step: the upload itself, its `auto_describe`, or something to
 * extract by its category, a saved schema or a standard.
 */
export type Trigger = 'upload' | 'auto_describe' | 'extraction' | 'category' | 'schema' | 'compliance';

/** The part of an upload that determines which components are processed. */
export type ProcessingRequest = Pick<UploadOptions, 'autoDescribe' | 'compliance' | 'customSchemaId'> & {
  /** By default `general`. */
  contentCategory?: RequestedCategory;
};

/** The triggers in a request. The category triggers nothing if no description is wanted. */
export function triggersOf(request: ProcessingRequest): ReadonlySet<Trigger> {
  const { autoDescribe, contentCategory = 'general', compliance, customSchemaId } = request;
  // The extractions are determined once the image is classified.
  const mayHaveDomains = contentCategory === AUTO_CATEGORY || hasDomains(contentCategory);
  const extractions: Trigger[] = [
    ...(autoDescribe && mayHaveDomains ? (['category'] as const) : []),
    ...(compliance ? (['compliance'] as const) : []),
    ...(customSchemaId === undefined ? [] : (['schema'] as const)),
  ];
  return new Set<Trigger>([
    'upload',
    ...(autoDescribe ? (['auto_describe'] as const) : []),
    ...(extractions.length > 0 ? (['extraction'] as const) : []),
    ...extractions,
  ]);
}
