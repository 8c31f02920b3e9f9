import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const extractionRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/extract',
    component: lazyRouteComponent(() => import('../features/extraction/extract-page.tsx'), 'ExtractPage'),
  }),
] as const;
