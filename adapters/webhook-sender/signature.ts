import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** The signed message. */
export interface WebhookMessage {
  /** The same each time the event is sent, so that receivers can drop duplicates. */
  id: string;
  sentAt: Date;
  body: string;
}

/**
 * The headers of Standard Webhooks 1.0 for a message, with a signature by each secret: two while a rotated secret is
 * still valid.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, sentAt, body }: WebhookMessage,
): Record<string, string> {
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
