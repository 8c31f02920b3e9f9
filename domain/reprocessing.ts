import type { FailureReason, ComponentName } from './components.ts';
import type { FailureKind } from './failure-kind.ts';
import type { MediaType } from './media.ts';
import type { PrimaryStatus } from './primary-status.ts';
import type { ComplianceStatus } from './compliance/compliance.ts';
import { componentsOf } from './pipelines/index.ts';
import { retryComponents } from './retry-components.ts';

export const OPEN_REPROCESSING_STATUSES = ['processing', 'paused'] as const;
export const REPROCESSING_STATUSES = [
  ...OPEN_REPROCESSING_STATUSES,
  'completed',
  'cancelled',
  'failed',
  'rolling_back',
  'rolled_back',
] as const;
export type ReprocessingStatus = (typeof REPROCESSING_STATUSES)[number];

export function isReprocessingOpen(status: ReprocessingStatus): boolean {
  return (OPEN_REPROCESSING_STATUSES as readonly ReprocessingStatus[]).includes(status);
}

export const REPROCESSED_FILE_STATUSES = ['processing', 'completed', 'failed', 'skipped'] as const;
export type ReprocessedFileStatus = (typeof REPROCESSED_FILE_STATUSES)[number];

/** What can be made again, by the component of each medium that makes it. `pages`: only those that could not be read. */
const PARTS = {
  description: {
    image: 'description',
    document: 'description',
    video: 'description',
    link: 'description',
  },
  text: { document: 'text_extraction', link: 'crawl' },
  pages: { document: 'text_extraction' },
  variants: { image: 'variant', document: 'preview', video: 'video_analysis', link: 'variant' },
  vectors: { document: 'digitization' },
  extraction: { image: 'extraction', document: 'extraction' },
} as const satisfies Record<string, Partial<Record<MediaType, ComponentName>>>;
export type ReprocessedPart = keyof typeof PARTS;
export const REPROCESSED_PARTS = Object.keys(PARTS) as ReprocessedPart[];

/** Selects the files of a reprocessing: the filters of the list of files, or ids. Dates are ISO 8601. */
export interface ReprocessingSelection {
  fileIds?: string[] | undefined;
  search?: string | undefined;
  searchMode: 'all' | 'metadata' | 'visible_text';
  tags?: string[] | undefined;
  mediaTypes?: MediaType[] | undefined;
  statuses?: PrimaryStatus[] | undefined;
  failureKinds?: FailureKind[] | undefined;
  hasDescription?: boolean | undefined;
  complianceStatus?: ComplianceStatus | undefined;
  parentFileId?: string | undefined;
  held?: boolean | undefined;
  folderId?: string | undefined;
  includeSubfolders: boolean;
  projectId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The components of a medium that make these parts; empty if none does. */
export function componentsToReprocess(mediaType: string, parts: readonly ReprocessedPart[]): ComponentName[] {
  const names = parts.flatMap((part): ComponentName[] => {
    const name = (PARTS[part] as Partial<Record<string, ComponentName>>)[mediaType];
    return name ? [name] : [];
  });
  return [...new Set(names)];
}

/** All components that run again for these parts in a file that was processed without failure. */
export function componentsRunAgain(mediaType: string, parts: readonly ReprocessedPart[]): ComponentName[] {
  const requested = componentsToReprocess(mediaType, parts);
  const before = componentsOf(mediaType).map(({ name }) => [
    name,
    name === 'extraction' ? { status: 'skipped', cause: 'by_request' } : { status: 'completed' },
  ]);
  const components = Object.fromEntries(before) as Parameters<typeof retryComponents>[0]['components'];
  return requested.length === 0 ? [] : retryComponents({ mediaType, components }, requested).retried;
}

export const PAUSED_BY_REQUEST: FailureReason = { code: 'PAUSED_BY_REQUEST', message: 'paused by request' };
