import { DarkroomError } from './errors.ts';
import type { webhooks } from './openapi.ts';

/** An event as it is sent to webhooks; its `type` says which fields `data` has. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json'];

/** The headers of a request: those of fetch, or an object as Node's `IncomingMessage.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** How old or early an event may be in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; the clock by default. */
  now?: number;
}

const PREFIX = 'whsec_';
const NAMES = ['id', 'timestamp', 'signature'] as const;

/**
 * Verifies a webhook by Standard Webhooks 1.0 and returns its event.
 *
 * @param body    as it was received, byte for byte
 * @param secrets of the subscription, `whsec_…`; while one is being replaced, both
 * @throws DarkroomError WEBHOOK_UNVERIFIED; never answer such a request with success
 */
export async function verifyWebhook<T = WebhookEvent>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions = {},
): Promise<T> {
  const [id, timestamp, signatures] = NAMES.map((name) => headerOf(headers, `webhook-${name}`));
  if (!id || !timestamp || !signatures) throw unverified('a header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) throw unverified('its timestamp is not a number');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw unverified('it is too old, or from the future');
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
      // In constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
        return JSON.parse(new TextDecoder().decode(bytes)) as T;
      }
    }
  }
  throw unverified('no signature fits');
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
