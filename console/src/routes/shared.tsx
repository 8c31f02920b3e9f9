import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from './root.tsx';

export const sharedRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/shared',
    component: lazyRouteComponent(() => import('../features/shared/shared-page.tsx'), 'SharedPage'),
  }),
] as const;
