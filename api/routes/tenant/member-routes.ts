import { changeMemberRole, removeMember } from '../../../services/accounts/members/change-member-role.ts';
import { listMembers } from '../../../services/accounts/members/find-members.ts';
import { inviteMember } from '../../../services/accounts/members/invite-member.ts';
import { actorOf } from '../../http/actor.ts';
import { route } from '../../http/route.ts';
import {
  inviteBody,
  member,
  memberList,
  memberParams,
  presentMember,
  presentRemoval,
  removedMember,
  roleBody,
} from '../../resources/member.ts';

export const memberRoutes = [
  route({
    method: 'get',
    path: '/tenant/members',
    operationId: 'listMembers',
    summary: 'List the members of the account and its pending invitations',
    tag: 'Tenant',
    permit: 'tenant.read',
    answers: { 200: memberList },
    handle: ({ em, principal }) => listMembers(em, principal.tenantId),
    present: (members) => members.map(presentMember),
  }),

  route({
    method: 'post',
    path: '/tenant/members/invite',
    operationId: 'inviteMember',
    summary:
      'Invite a person by email; they become a member on acceptance; 200 if already a member or invited',
    tag: 'Tenant',
    permit: 'members.manage',
    limit: { requests: 5, per: 'minute' },
    body: inviteBody,
    answers: { 200: member, 201: member },
    errors: ['ALREADY_MEMBER', 'MEMBER_LIMIT'],
    async handle({ ctx, em, deps: { engine }, principal, body }) {
      const invited = await inviteMember({ em, engine }, actorOf({ ctx, principal }), body);
      ctx.status = invited.isNew ? 201 : 200;
      return invited.member;
    },
    present: presentMember,
  }),

  route({
    method: 'patch',
    path: '/tenant/members/:user_id/role',
    operationId: 'changeMemberRole',
    summary: 'Change the role of a member',
    tag: 'Tenant',
    permit: 'members.manage',
    limit: { requests: 10, per: 'minute' },
    params: memberParams,
    body: roleBody,
    answers: { 200: member },
    errors: ['NOT_FOUND', 'MEMBER_PROTECTED'],
    handle: ({ ctx, em, deps: { oidc }, principal, params, body }) =>
      changeMemberRole({ em, oidc }, actorOf({ ctx, principal }), params.user_id, body.role),
    present: presentMember,
  }),

  route({
    method: 'delete',
    path: '/tenant/members/:user_id',
    operationId: 'removeMember',
    summary: 'Remove a member, with their login sessions and API keys, or withdraw an invitation',
    tag: 'Tenant',
    permit: 'members.manage',
    limit: { requests: 5, per: 'minute' },
    params: memberParams,
    answers: { 200: removedMember },
    errors: ['NOT_FOUND', 'MEMBER_PROTECTED'],
    handle: ({ ctx, em, principal, params }) => removeMember(em, actorOf({ ctx, principal }), params.user_id),
    present: presentRemoval,
  }),
];
