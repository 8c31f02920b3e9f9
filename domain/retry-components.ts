import { entries, type ComponentName, type Components, type FileComponents } from './components.ts';
import { componentsOf, dependenciesOf } from './pipelines/index.ts';

/**
 * The components of a file after an explicit retry: requested ones become `queued` again, together with their
 * uncompleted dependencies, with dependents that were skipped because of a failure, and with what was made from their
 * results; all others keep their result.
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
  const inOrder = componentsOf(mediaType).filter(({ name }) => components[name]);
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
