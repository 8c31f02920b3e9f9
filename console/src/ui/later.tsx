import { Suspense, useState, type ReactNode } from 'react';

/**
 * A part of a page that is loaded when it is first needed, such as a dialog, and stays then, so that it can give back
 * the focus. What it holds comes from `lazyRouteComponent` or `lazy`.
 */
export function Later({ when, children }: { when: boolean; children: ReactNode }) {
  const [wasNeeded, setNeeded] = useState(when);
  if (when && !wasNeeded) setNeeded(true);
  return wasNeeded && <Suspense fallback={null}>{children}</Suspense>;
}
