import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parseLibrarySearch } from '../features/library/search-params.ts';
import { signedInRoute } from './root.tsx';

export const libraryRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/',
    validateSearch: parseLibrarySearch,
    component: lazyRouteComponent(() => import('../features/library/library-page.tsx'), 'LibraryPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/trash',
    validateSearch: parseLibrarySearch,
    component: lazyRouteComponent(() => import('../features/library/trash-page.tsx'), 'TrashPage'),
  }),
] as const;
