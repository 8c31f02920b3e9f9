import { DarkroomError } from './errors.ts';
import type { webhooks } from './openapi.ts';

/** The event of a webhook; its `type` determines the fields of `data`. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json'];

/** The headers of a request, as `Headers` or as an object like Node's `IncomingMessage.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** Maximum difference between the timestamp and the clock in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** Current time in milliseconds since 1970; the clock by default. */
  now?: number;
}

const PREFIX = 'whsec_';
const NAMES = ['id', 'timestamp', 'signature'] as const;

/**
 * Verifies a webhook according to Standard Webhooks 1.0 and returns its event.
 *
 * @param body    the unmodified body
 * @param secrets secret of the subscription, `whsec_…`; both secrets during a rotation
 * @throws DarkroomError WEBHOOK_UNVERIFIED; respond to such a request with an error
 */
export async function verifyWebhook<T = WebhookEvent>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions = {},
): Promise<T> {
  const [id, timestamp, signatures] = NAMES.map((name) => headerOf(headers, `webhook-${name}`));
  if (!id || !timestamp || !signatures) throw unverified('a header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) throw unverified('the timestamp is not a number');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw unverified('the timestamp is too old or in the future');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const given = signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .flatMap((signature) => decoded(signature.slice(3)) ?? []);
  for (const secret of [secrets].flat()) {
    const raw = decoded(secret.replace(PREFIX, ''));
    if (!raw) throw new TypeError('a webhook secret is base64 after whsec_');
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
    for (const signature of given) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
        return JSON.parse(new TextDecoder().decode(bytes)) as T;
      }
    }
  }
  throw unverified('no signature matches');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return [entry?.[1]].flat()[0];
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

const unverified = (why: string) =>
  new DarkroomError('WEBHOOK_UNVERIFIED', `the webhook is not verified: ${why}`);
