import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { LibraryPage } from '../features/library/library-page.tsx';
import { pageOptions } from '../features/library/file-pages.ts';
import { filtersOf, parseLibrarySearch } from '../features/library/search-params.ts';
import { signedInRoute } from './root.tsx';

export const libraryRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/',
    validateSearch: parseLibrarySearch,
    // The files are asked for before anything is shown.
    beforeLoad: ({ context, search }) => {
      if (!search.show || search.show === 'files')
        void context.queryClient.prefetchQuery(pageOptions(filtersOf(search), 0));
    },
    // Not loaded later, as other pages are: most visits begin here.
    component: LibraryPage,
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/trash',
    validateSearch: parseLibrarySearch,
    component: lazyRouteComponent(() => import('../features/library/trash-page.tsx'), 'TrashPage'),
  }),
] as const;
