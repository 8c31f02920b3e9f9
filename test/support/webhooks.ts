import { randomUUID } from 'node:crypto';
import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { Orm } from '../../db/create-orm.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import type { EventPattern } from '../../domain/webhooks/event-types.ts';
import { newSecret, sealSecrets } from '../../services/webhooks/secrets.ts';

/** Subscribes a tenant without any request. By default to everything, at an address where nothing listens. */
export async function subscribe(
  orm: Orm,
  {
    tenantId,
    url = 'http://127.0.0.1:1/',
    eventTypes = ['*'],
    enabled = true,
    secret = newSecret(),
    subjectId,
  }: {
    tenantId: string;
    url?: string;
    eventTypes?: EventPattern[];
    enabled?: boolean;
    secret?: string;
    /** Makes it the webhook of the request that made this file. */
    subjectId?: string;
  },
): Promise<string> {
  const id = randomUUID();
  const createdAt = new Date();
  const cipher = createSecretCipher(readConfig([encryptionConfig], process.env));
  const sealed = sealSecrets(cipher, tenantId, { current: secret });
  await orm.em.fork().insert(WebhookSubscription, {
    id,
    tenantId,
    url,
    eventTypes,
    enabled,
    ...sealed,
    ...(subjectId !== undefined && { subjectKind: 'file', subjectId }),
    createdAt,
    updatedAt: createdAt,
  });
  return id;
}
