import { AppError } from './app-error.ts';
import {
  entries,
  withRequestedSteps,
  type ComponentName,
  type Components,
  type FileComponents,
} from './components.ts';
import { componentsOf, dependenciesOf, stepsOf } from './pipelines/index.ts';
import type { ProcessingRequest } from './pipelines/triggers.ts';
import { VIDEO_ERRORS } from './videos/video.ts';

/** Failures caused by the file itself, which a retry cannot change. */
const PERMANENT: ReadonlySet<string> = new Set([
  'IMAGE_UNREADABLE',
  'IMAGE_TOO_LARGE',
  'MODEL_REFUSED',
  'ORIGINAL_MISSING',
  ...VIDEO_ERRORS,
]);

/** Whether retrying a failed file may succeed. */
export function isRetryable(code: string | undefined): boolean {
  return code === undefined || !PERMANENT.has(code);
}

/** What is to be redone: components, or pages of a document; by default all that failed or is incomplete. */
export interface RetryRequest {
  components?: readonly ComponentName[] | undefined;
  /** `failed`: of the named components, only the pages that could not be read. */
  pages?: readonly number[] | 'failed' | undefined;
}

/** The pages that a retry reads again: the listed ones, all, or those that could not be read. */
export type PagesToRetry = readonly number[] | 'all' | 'failed';

/**
 * Which components and pages a retry redoes. Pages stand for the component that reads them; that component, if it is named
 * itself, reads all of them.
 *
 * @throws AppError WRONG_MEDIA_TYPE for pages of a medium without
 */
export function resolveRetry(
  mediaType: string,
  { components, pages }: RetryRequest,
): { requested: readonly ComponentName[] | undefined; pages: PagesToRetry } {
  const reader = componentsOf(mediaType).find(({ readsPages }) => readsPages)?.name;
  if (pages === 'failed') return { requested: components, pages };
  if (pages) {
    if (!reader) throw new AppError('WRONG_MEDIA_TYPE', `${mediaType} files have no pages`);
    return { requested: [reader], pages };
  }
  return { requested: components, pages: reader && components?.includes(reader) ? 'all' : 'failed' };
}

/**
 * The components of a file after an explicit retry: requested ones become `queued` again, together with their
 * uncompleted dependencies, with dependents that were skipped because of a failure, and with components derived from
 * their results; all others keep their result.
 *
 * @param requested component names; by default all that failed, are incomplete, were cancelled or were skipped because
 *   of a failure
 * @returns the new components and which of them run again (none: there is nothing to retry)
 */
export function retryComponents(
  { mediaType, components }: FileComponents,
  requested?: readonly ComponentName[],
): { components: Components; retried: ComponentName[] } {
  const wanted = new Set(requested ?? unfinishedWork(components));
  for (const name of wanted) {
    for (const upstream of dependenciesOf(mediaType, name)) {
      if (components[upstream] && components[upstream].status !== 'completed') wanted.add(upstream);
    }
  }
  // A file that is older than one of its components gets it on request.
  const inOrder = componentsOf(mediaType).filter(({ name }) => components[name] ?? requested?.includes(name));
  const isRequested = (name: ComponentName) => components[name]?.cause !== 'by_request';
  for (const { name, dependsOn, redoneWith } of inOrder) {
    if (isRequested(name) && redoneWith?.some((upstream) => wanted.has(upstream))) wanted.add(name);
    if (components[name]?.cause !== 'upstream_failed') continue;
    if (dependsOn.some((upstream) => wanted.has(upstream))) wanted.add(name);
  }
  const retried = inOrder.map(({ name }) => name).filter((name) => wanted.has(name));
  const reopened = Object.fromEntries(
    retried.map((name) => {
      const { unrequested } = components[name] ?? {};
      return [name, { status: 'queued' as const, ...(unrequested && { unrequested }) }];
    }),
  );
  return { components: { ...components, ...reopened }, retried };
}

/**
 * As `retryComponents`, with the steps requested now. A component that is no longer requested, because the image turned
 * out to have another category, is closed as not requested.
 *
 * @param request of the upload, with the file's current category
 * @returns also `empty`: the closed components
 */
export function reopenComponents(
  { mediaType, components: before }: FileComponents,
  request: ProcessingRequest,
  requested?: readonly ComponentName[],
): { components: Components; retried: ComponentName[]; empty: ComponentName[] } {
  const reopened = retryComponents({ mediaType, components: before }, requested);
  const components = withRequestedSteps(
    { mediaType, components: reopened.components },
    reopened.retried,
    request,
  );
  const isEmpty = (name: ComponentName) => stepsOf({ mediaType, components }, name).length === 0;
  const empty = reopened.retried.filter(isEmpty);
  const unrequested = { status: 'skipped', cause: 'by_request' } as const;
  return {
    components: { ...components, ...Object.fromEntries(empty.map((name) => [name, unrequested])) },
    retried: reopened.retried.filter((name) => !isEmpty(name)),
    empty,
  };
}

/** These components and all their direct and indirect dependents. */
export function withDependents(mediaType: string, names: readonly ComponentName[]): Set<ComponentName> {
  const all = new Set(names);
  // In execution order, so that one pass suffices.
  for (const { name, dependsOn } of componentsOf(mediaType)) {
    if (dependsOn.some((upstream) => all.has(upstream))) all.add(name);
  }
  return all;
}

function unfinishedWork(components: Components): ComponentName[] {
  return entries(components)
    .filter(
      ([, state]) =>
        state.status === 'failed' ||
        (state.status === 'completed' && state.error !== undefined) ||
        (state.status === 'skipped' && state.cause !== 'by_request'),
    )
    .map(([name]) => name);
}
