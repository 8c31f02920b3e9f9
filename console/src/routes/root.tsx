import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { FileQuestion } from 'lucide-react';
import { sessionQuery, signInAddress } from '../lib/session.ts';
import { TEXTS } from '../texts.ts';
import { LinkButton } from '../ui/link-button.tsx';
import { Notices } from '../ui/notices.tsx';
import { Empty, ErrorNote, Page } from '../ui/page.tsx';
import { Shell } from '../features/shell/shell.tsx';

/** The root of all pages. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <Notices />
    </>
  ),
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
  errorComponent: ({ error, reset }) => (
    <main>
      <Page title={TEXTS.app.name}>
        <ErrorNote error={error} onRetry={reset} />
      </Page>
    </main>
  ),
});

/** The pages behind the sign-in, inside the shell with the navigation. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session === null)
      throw redirect({ href: signInAddress(location.href), reloadDocument: true, replace: true });
  },
  component: Shell,
});

/** Also shown for ids of other tenants, which look like absent ones. */
export function NotFound() {
  return (
    <Page title={TEXTS.app.notFound}>
      <Empty icon={FileQuestion} title={TEXTS.app.notFound}>
        <LinkButton to="/">{TEXTS.app.toLibrary}</LinkButton>
      </Empty>
    </Page>
  );
}
