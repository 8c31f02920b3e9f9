import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readFileSearch } from '../lib/file-link.ts';
import { signedInRoute } from './root.tsx';

export const fileRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/files/$fileId',
    validateSearch: readFileSearch,
    component: lazyRouteComponent(() => import('../features/file/file-page.tsx'), 'FilePage'),
  }),
] as const;
