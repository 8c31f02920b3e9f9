import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { signedInRoute } from './root.tsx';

const layoutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('../features/settings/settings-layout.tsx'), 'SettingsLayout'),
});
const page = { getParentRoute: () => layoutRoute } as const;
const webhooks = () => import('../features/settings/webhooks.tsx');

export const settingsRoutes = [
  layoutRoute.addChildren([
    createRoute({
      ...page,
      path: '/',
      beforeLoad: () => {
        throw redirect({ to: '/settings/profile', replace: true });
      },
    }),
    createRoute({
      ...page,
      path: '/profile',
      component: lazyRouteComponent(() => import('../features/settings/profile.tsx'), 'Profile'),
    }),
    createRoute({
      ...page,
      path: '/organisation',
      component: lazyRouteComponent(() => import('../features/settings/organisation.tsx'), 'Organisation'),
    }),
    createRoute({
      ...page,
      path: '/members',
      component: lazyRouteComponent(() => import('../features/settings/members.tsx'), 'Members'),
    }),
    createRoute({
      ...page,
      path: '/keys',
      component: lazyRouteComponent(() => import('../features/settings/api-keys.tsx'), 'ApiKeys'),
    }),
    createRoute({ ...page, path: '/webhooks', component: lazyRouteComponent(webhooks, 'Webhooks') }),
    createRoute({
      ...page,
      path: '/webhooks/$webhookId',
      component: lazyRouteComponent(() => import('../features/settings/webhook.tsx'), 'Webhook'),
    }),
    createRoute({
      ...page,
      path: '/storage',
      component: lazyRouteComponent(() => import('../features/settings/storage.tsx'), 'Storage'),
    }),
    createRoute({
      ...page,
      path: '/connections',
      component: lazyRouteComponent(() => import('../features/settings/connections.tsx'), 'Connections'),
    }),
    createRoute({
      ...page,
      path: '/usage',
      component: lazyRouteComponent(() => import('../features/settings/usage.tsx'), 'Usage'),
    }),
    createRoute({
      ...page,
      path: '/audit-log',
      component: lazyRouteComponent(() => import('../features/settings/audit-log.tsx'), 'AuditLog'),
    }),
  ]),
] as const;
