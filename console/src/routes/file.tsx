import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const fileRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/files/$fileId',
    // A place in the file: a page, and an element or passage on it.
    validateSearch: (search): { page?: number; element?: string } => ({
      page: typeof search['page'] === 'number' ? search['page'] : undefined,
      element: typeof search['element'] === 'string' ? search['element'] : undefined,
    }),
    component: lazyRouteComponent(() => import('../features/file/file-page.tsx'), 'FilePage'),
  }),
] as const;
