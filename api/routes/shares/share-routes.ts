import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { listShares, openShare, revokeShare, shareFile } from '../../../services/shares/file-shares.ts';
import { callerOf } from '../../http/actor.ts';
import { publicRoute, route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';
import {
  createdShare,
  openShareBody,
  presentShare,
  presentSharedFile,
  share,
  shareBody,
  sharedFile,
  shareList,
  shareParams,
} from '../../resources/share.ts';

const DAY_MS = 86_400_000;

/** Links to one file for people without an account. */
export const shareRoutes = [
  route({
    method: 'post',
    path: '/files/:file_id/shares',
    operationId: 'shareFile',
    summary: 'Make a link by which anybody sees and downloads this file until a date',
    description: 'The link is in this answer only; it can be revoked, and is recorded in the audit log.',
    tag: 'Files',
    permit: 'files.write',
    limit: { requests: 30, per: 'minute' },
    params: fileParams,
    body: shareBody,
    answers: { 201: createdShare },
    errors: [...FILE_ERRORS, 'SHARE_LIMIT'],
    async handle({ ctx, em, principal, params, body }) {
      const { id: fileId } = await findFile(em, principal.tenantId, params.file_id);
      const expiresAt = new Date(Date.now() + body.expires_in_days * DAY_MS);
      const made = await shareFile(em, callerOf({ ctx, principal }), { fileId, expiresAt });
      ctx.status = 201;
      return made;
    },
    present({ share: made, token }, { ctx, deps }) {
      // In the fragment, which browsers send to no server and in no Referer.
      const base = deps.publicBaseUrl?.origin ?? `${ctx.protocol}://${ctx.host}`;
      const url = `${base}/shared#${token}`;
      return { ...presentShare(made), url };
    },
  }),

  route({
    method: 'get',
    path: '/files/:file_id/shares',
    operationId: 'listFileShares',
    summary: 'List the links to this file that work',
    tag: 'Files',
    permit: 'files.read',
    params: fileParams,
    answers: { 200: shareList },
    errors: [...FILE_ERRORS],
    async handle({ em, principal, params }) {
      const { id } = await findFile(em, principal.tenantId, params.file_id);
      return { items: (await listShares(em, id)).map(presentShare) };
    },
  }),

  route({
    method: 'delete',
    path: '/files/:file_id/shares/:share_id',
    operationId: 'revokeFileShare',
    summary: 'Revoke a link at once',
    description: 'URLs that it has led to stay valid until they expire, an hour at most.',
    tag: 'Files',
    permit: 'files.write',
    params: shareParams,
    answers: { 200: share },
    errors: [...FILE_ERRORS],
    async handle({ ctx, em, principal, params }) {
      const { id: fileId } = await findFile(em, principal.tenantId, params.file_id);
      return revokeShare(em, callerOf({ ctx, principal }), { fileId, shareId: params.share_id });
    },
    present: presentShare,
  }),

  publicRoute({
    method: 'post',
    path: '/shared-file',
    operationId: 'openSharedFile',
    summary: 'The file of a link, without signing in',
    tag: 'Files',
    body: openShareBody,
    answers: { 200: sharedFile },
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
    admit: ({ ctx, deps }) => deps.shareLimit.admit(ctx),
    handle: async ({ em, deps, body }) => presentSharedFile(deps.objects, await openShare(em, body.token)),
  }),
];
