import { randomUUID } from 'node:crypto';
import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { Orm } from '../../db/create-orm.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import type { EventPattern } from '../../domain/webhooks/events.ts';
import { newSecret, sealSecrets } from '../../services/webhooks/secrets.ts';

/** Inserts a subscription of a tenant; by default to all events, at an address where nothing listens. */
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
    /** Id of a file, for the webhook of its upload request; without it a webhook of the tenant. */
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
