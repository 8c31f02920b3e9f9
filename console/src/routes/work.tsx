import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const workRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/work',
    component: lazyRouteComponent(() => import('../features/work/work-page.tsx'), 'WorkPage'),
  }),
] as const;
