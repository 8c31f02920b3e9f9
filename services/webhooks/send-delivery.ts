import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadable, type SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { WebhookAnswer, WebhookSender } from '../../adapters/webhook-sender/webhook-sender.ts';
import type { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import type { AdmittedDelivery } from './dispatch-deliveries.ts';
import { recordSuccess } from './receiver-health.ts';
import {
  recordFailure,
  type AttemptOutcome,
  type AttemptRecord,
  type FinishedAttempt,
} from './record-attempt.ts';
import { openSecrets } from './secrets.ts';

/** Dependencies of an attempt besides the database. */
export interface AttemptDeps {
  cipher: SecretCipher;
  sender: WebhookSender;
  /** Base of the links in bodies. */
  baseUrl: URL;
}

interface AttemptOptions {
  /** Delay of the next attempt after a failure; null if this is the last one. */
  retryAfterMs: number | null;
  signal: AbortSignal;
  /** Records a success. Returns false if the delivery was cancelled concurrently. */
  record: (success: AttemptRecord) => Promise<boolean>;
}

/**
 * Makes one attempt of a delivery that was just read and records it.
 *
 * @throws the reason of the signal; EncryptionKeyUnknown, which is not a failure of the receiver
 */
export async function attemptDelivery(
  em: EntityManager,
  deps: AttemptDeps,
  { delivery, subscription, isFailing, event }: AdmittedDelivery,
  { retryAfterMs, signal, record }: AttemptOptions,
): Promise<AttemptOutcome> {
  const { id: deliveryId, tenantId, generation } = delivery;
  const target = { deliveryId, tenantId, generation };
  const startedAt = new Date();
  const began = performance.now();
  const answer = await send(deps, subscription, event, { sentAt: startedAt, signal });
  const attempt: FinishedAttempt = {
    startedAt,
    latencyMs: Math.round(performance.now() - began),
    statusCode: answer.statusCode ?? null,
    error: answer.error ?? null,
    answer: answer.body ?? null,
  };
  if (answer.error === undefined) {
    // Before recording the success: once the delivery has ended, nothing would retry this write.
    if (isFailing || subscription.failingSince) await recordSuccess(em, subscription);
    const delivered = await record({ ...target, ...attempt, status: 'delivered' });
    return { outcome: delivered ? 'delivered' : 'ended' };
  }
  const wait = retryAfterMs === null ? null : Math.max(retryAfterMs, (answer.retryAfterSeconds ?? 0) * 1000);
  return recordFailure(em, target, attempt, wait);
}

async function send(
  { cipher, sender, baseUrl }: AttemptDeps,
  subscription: WebhookSubscription,
  { id, ...rest }: AdmittedDelivery['event'],
  { sentAt, signal }: { sentAt: Date; signal: AbortSignal },
): Promise<WebhookAnswer> {
  try {
    const secrets = secretsOf(cipher, subscription, sentAt);
    const message = { id, sentAt, body: bodyOf(rest, baseUrl) };
    return await sender.send(subscription.url, { message, secrets }, signal);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { error: 'its secret cannot be decrypted; rotate it' };
  }
}

/** The former secret also signs until it expires. */
function secretsOf(cipher: SecretCipher, row: WebhookSubscription, now: Date): string[] {
  const { current, previous } = openSecrets(cipher, row);
  const overlaps = previous !== undefined && row.previousSecretUntil && row.previousSecretUntil > now;
  return overlaps ? [current, previous] : [current];
}

/** The operation that reads the resource behind each id in an event. */
const LINKS: Readonly<Record<string, readonly [name: string, path: string]>> = {
  file_id: ['file', '/files/'],
  session_id: ['session', '/files/sessions/'],
  upload_id: ['upload', '/files/direct-uploads/'],
  extraction_id: ['extraction', '/extractions/'],
  export_id: ['export', '/data/export/'],
  reprocessing_id: ['reprocessing', '/reprocessing/'],
  import_id: ['import', '/imports/'],
  split_id: ['split', '/splits/'],
  key_id: ['api_key', '/api-keys/'],
  job_id: ['job', '/job/'],
};

/** The JSON body of an event: type, time, data and links to the resources it names. */
export function bodyOf(
  { type, data, createdAt }: Pick<WebhookEvent, 'type' | 'data' | 'createdAt'>,
  baseUrl: URL,
): string {
  const links = Object.entries(LINKS).flatMap(([key, [name, path]]) => {
    const id = data[key];
    return typeof id === 'string' ? [[name, new URL(`/api/v2${path}${id}`, baseUrl).href] as const] : [];
  });
  const timestamp = createdAt.toISOString();
  return JSON.stringify({ type, timestamp, data: { ...data, links: Object.fromEntries(links) } });
}
