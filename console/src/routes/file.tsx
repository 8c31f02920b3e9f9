import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const fileRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/files/$fileId',
    component: lazyRouteComponent(() => import('../features/file/file-page.tsx'), 'FilePage'),
  }),
] as const;
