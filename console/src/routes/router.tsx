import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { askRoutes } from './ask.tsx';
import { authRoutes } from './auth.tsx';
import { extractionRoutes } from './extraction.tsx';
import { fileRoutes } from './file.tsx';
import { libraryRoutes } from './library.tsx';
import { rootRoute, signedInRoute } from './root.tsx';
import { settingsRoutes } from './settings.tsx';
import { sharedRoutes } from './shared.tsx';
import { uploadRoutes } from './upload.tsx';
import { workRoutes } from './work.tsx';

const routeTree = rootRoute.addChildren([
  ...authRoutes,
  ...sharedRoutes,
  signedInRoute.addChildren([
    ...libraryRoutes,
    ...uploadRoutes,
    ...fileRoutes,
    ...extractionRoutes,
    ...askRoutes,
    ...workRoutes,
    ...settingsRoutes,
  ]),
]);

/** The router over all pages of the console. */
export function createConsoleRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
  // The code of the first page is loaded while the session is read.
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const route = router.routesById[routeId];
    if (route) void router.loadRouteChunk(route);
  }
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
