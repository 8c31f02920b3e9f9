import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

const TABS = ['uploads', 'imports', 'reprocessing', 'exports', 'stuck'] as const;
/** A part of the page of work in progress, which has its own address, so that it can be kept open or shared. */
export type WorkTab = (typeof TABS)[number];

export const workRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/work',
    validateSearch: (search: Record<string, unknown>): { tab?: WorkTab } => {
      const tab = TABS.find((name) => name === search['tab']);
      return tab ? { tab } : {};
    },
    component: lazyRouteComponent(() => import('../features/work/work-page.tsx'), 'WorkPage'),
  }),
] as const;
