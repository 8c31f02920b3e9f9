import { BUCKET_FAILURES } from '../../../domain/bucket-failure.ts';
import { configureStorage } from '../../../services/storage/configure-storage.ts';
import { readStorage } from '../../../services/storage/read-storage.ts';
import { retireStorage } from '../../../services/storage/retire-storage.ts';
import { validateStorage } from '../../../services/storage/validate-storage.ts';
import { actorOf } from '../../http/actor.ts';
import { route } from '../../http/route.ts';
import {
  bucketAddressOf,
  presentRemoval,
  presentStorage,
  presentValidation,
  storageConfigAnswer,
  storageConfigBody,
  storageRemoval,
  storageValidation,
} from '../../resources/storage-config.ts';

/** A tenant's own bucket, for uploads with `storage_target=custom`. */
export const storageConfigRoutes = [
  route({
    method: 'post',
    path: '/tenant/storage-config',
    operationId: 'configureStorage',
    summary: 'Configure your own bucket for uploads that request it',
    tag: 'Tenant',
    permit: 'storage.manage',
    limit: { requests: 5, per: 'minute' },
    body: storageConfigBody,
    answers: { 201: storageConfigAnswer },
    errors: [...BUCKET_FAILURES],
    async handle({ ctx, em, deps: { bucketAccess }, principal, body }) {
      const credentials = { accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key };
      await configureStorage(
        { em, ...bucketAccess },
        actorOf({ ctx, principal }),
        bucketAddressOf(body),
        credentials,
      );
      return readStorage({ em, ...bucketAccess }, principal.tenantId);
    },
    present(status, { ctx }) {
      ctx.status = 201;
      return presentStorage(status);
    },
  }),

  route({
    method: 'get',
    path: '/tenant/storage-config',
    operationId: 'getStorageConfig',
    summary: 'Your own bucket, without its credentials',
    tag: 'Tenant',
    permit: 'tenant.read',
    answers: { 200: storageConfigAnswer },
    handle: ({ em, deps: { bucketAccess }, principal: { tenantId } }) =>
      readStorage({ em, ...bucketAccess }, tenantId),
    present: presentStorage,
  }),

  route({
    method: 'post',
    path: '/tenant/storage-config/validate',
    operationId: 'validateStorageConfig',
    summary: 'Test access to your own bucket again',
    tag: 'Tenant',
    permit: 'storage.manage',
    limit: { requests: 10, per: 'minute' },
    answers: { 200: storageValidation },
    errors: ['STORAGE_NOT_CONFIGURED'],
    handle: ({ em, deps: { bucketAccess }, principal: { tenantId } }) =>
      validateStorage({ em, ...bucketAccess }, tenantId),
    present: presentValidation,
  }),

  route({
    method: 'delete',
    path: '/tenant/storage-config',
    operationId: 'removeStorageConfig',
    summary: 'Send all new uploads to the default bucket; files in your own bucket stay readable',
    tag: 'Tenant',
    permit: 'storage.manage',
    limit: { requests: 5, per: 'minute' },
    answers: { 200: storageRemoval },
    handle: ({ ctx, em, principal }) => retireStorage(em, actorOf({ ctx, principal })),
    present: presentRemoval,
  }),
];
