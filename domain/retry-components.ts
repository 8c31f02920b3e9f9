import { DEPENDS_ON, entries, type ComponentName, type Components } from './components.ts';

/**
 * The components of a file after an explicit retry: what is asked for starts again as `queued`, with whatever it rests
 * on that is not completed, and whatever was skipped because it had failed; everything else keeps its result.
 *
 * @param requested component names; without it, all that failed, were cancelled or were skipped for a failure
 * @returns the new components and which of them run again (none: there is nothing to retry)
 */
export function retryComponents(
  components: Components,
  requested?: readonly ComponentName[],
): { components: Components; retried: ComponentName[] } {
  const wanted = new Set(requested ?? unfinishedWork(components));
  for (const name of wanted) {
    for (const upstream of DEPENDS_ON[name]) {
      if (components[upstream] && components[upstream].status !== 'completed') wanted.add(upstream);
    }
  }
  for (const [name, { cause }] of entries(components)) {
    if (cause === 'upstream_failed' && DEPENDS_ON[name].some((upstream) => wanted.has(upstream))) {
      wanted.add(name);
    }
  }
  const retried = entries(components)
    .map(([name]) => name)
    .filter((name) => wanted.has(name));
  const reopened = Object.fromEntries(retried.map((name) => [name, { status: 'queued' as const }]));
  return { components: { ...components, ...reopened }, retried };
}

function unfinishedWork(components: Components): ComponentName[] {
  return entries(components)
    .filter(
      ([, state]) =>
        state.status === 'failed' || (state.status === 'skipped' && state.cause !== 'by_request'),
    )
    .map(([name]) => name);
}
