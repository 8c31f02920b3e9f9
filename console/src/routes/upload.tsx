import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const uploadRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/add',
    component: lazyRouteComponent(() => import('../features/upload/add-page.tsx'), 'AddPage'),
  }),
] as const;
