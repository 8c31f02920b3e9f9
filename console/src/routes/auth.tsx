import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from './root.tsx';

const page = { getParentRoute: () => rootRoute } as const;
const emailLinks = () => import('../features/auth/email-links.tsx');

/**
 * The pages for people who are not signed in, but for that of the sign-in, which is a document of its own. Those below
 * `/account` are where links in emails lead.
 */
export const authRoutes = [
  createRoute({
    ...page,
    path: '/register',
    component: lazyRouteComponent(() => import('../features/auth/register.tsx'), 'Register'),
  }),
  createRoute({
    ...page,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('../features/auth/forgot-password.tsx'), 'ForgotPassword'),
  }),
  createRoute({
    ...page,
    path: '/account/verify-email',
    component: lazyRouteComponent(emailLinks, 'VerifyEmail'),
  }),
  createRoute({
    ...page,
    path: '/account/reset-password',
    component: lazyRouteComponent(emailLinks, 'ResetPassword'),
  }),
  createRoute({
    ...page,
    path: '/account/invitation',
    component: lazyRouteComponent(emailLinks, 'AcceptInvitation'),
  }),
  createRoute({
    ...page,
    path: '/account/change-email',
    component: lazyRouteComponent(emailLinks, 'ConfirmEmailChange'),
  }),
] as const;
