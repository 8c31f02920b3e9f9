import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

export const askRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/ask',
    component: lazyRouteComponent(() => import('../features/ask/ask-page.tsx'), 'AskPage'),
  }),
] as const;
