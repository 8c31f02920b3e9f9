import { deleteAccount } from '../../../services/accounts/users/delete-account.ts';
import { changeProfile, readProfile } from '../../../services/accounts/users/profile.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { clearSessionCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import {
  deleteAccountBody,
  message,
  presentProfile,
  profileBody,
  userProfile,
} from '../../resources/user.ts';

/** The user who is logged in. */
export const userProfileRoutes = [
  route({
    method: 'get',
    path: '/user/profile',
    operationId: 'getProfile',
    summary: 'Profile of the user',
    tag: 'User settings',
    permit: 'account.manage',
    responses: json(200, userProfile),
    handle: ({ em, principal }) => readProfile(em, principal),
    present: presentProfile,
  }),

  route({
    method: 'patch',
    path: '/user/profile',
    operationId: 'changeProfile',
    summary: 'Change name and preferences',
    tag: 'User settings',
    permit: 'account.manage',
    body: profileBody,
    responses: json(200, userProfile),
    handle: ({ ctx, em, principal, body }) => changeProfile(em, principal, body, clientInfo(ctx).ipAddress),
    present: presentProfile,
  }),

  route({
    method: 'post',
    path: '/user/account/delete',
    operationId: 'deleteAccount',
    summary: 'Permanently delete the account and the tenants that the user owns',
    tag: 'User settings',
    permit: 'account.manage',
    limit: { requests: 3, per: 'day', of: 'user' },
    body: deleteAccountBody,
    responses: json(200, message),
    errors: ['TENANT_HAS_MEMBERS'],
    async handle({ ctx, deps, em, principal }) {
      await deleteAccount(em, principal, clientInfo(ctx).ipAddress);
      clearSessionCookie(ctx, deps);
      return { message: 'The account is deleted. Its files are being removed.' };
    },
  }),
];
