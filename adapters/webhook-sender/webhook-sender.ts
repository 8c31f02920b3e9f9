import http from 'node:http';
import https from 'node:https';
import { AddressRefused, type AddressGuard } from '../outbound/address-guard.ts';
import { createGuardedAgent } from '../outbound/guarded-agent.ts';
import { unreachableReason } from '../outbound/unreachable-reason.ts';
import { retryAfterSeconds } from '../../domain/retry-after.ts';
import { MAX_SENDING } from '../../domain/webhooks/delivery.ts';
import { signatureHeaders, type WebhookMessage } from './signature.ts';

/** Time limit of a request, from connecting to the last byte read of the answer. */
const TIMEOUT_MS = 15_000;
/** The rest of an answer is not read. */
const MAX_ANSWER_BYTES = 1024;
/** Less than the 5 s after which many servers close an idle connection. */
const IDLE_MS = 4_000;
/** As many as a receiver is sent requests at once: with fewer, the next ones connect, and shake hands, anew. */
const IDLE_CONNECTIONS_A_HOST = MAX_SENDING.aSubscription;

/** Omits the address, which would reveal what a host name resolves to in an internal network. */
const REFUSED = 'it has no public address, or is reached without https';

/** The answer of a receiver. */
export interface WebhookAnswer {
  /** Undefined without an answer. */
  statusCode?: number;
  /** Why the attempt counts as failed, in words for users; undefined for a 2xx status. */
  error?: string;
  /** The first KB of the body. */
  body?: string;
  /** From `Retry-After`. */
  retryAfterSeconds?: number;
}

export interface WebhookSender {
  /**
   * Sends a signed event. Follows no redirect, and connects to no address that the guard refuses.
   *
   * @returns an answer in every case; without a status if the receiver did not answer
   * @throws the reason of the signal
   */
  send(
    url: string,
    request: { message: WebhookMessage; secrets: readonly string[] },
    signal: AbortSignal,
  ): Promise<WebhookAnswer>;
  close(): void;
}

/** Creates a sender of events to URLs chosen by tenants. */
export function createWebhookSender(
  guard: AddressGuard,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): WebhookSender {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_CONNECTIONS_A_HOST };
  const agents = {
    http: createGuardedAgent(false, guard, options),
    https: createGuardedAgent(true, guard, options),
  };

  function post(
    url: URL,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const secure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const agent = secure ? agents.https : agents.http;
    const request = (secure ? https : http).request(url, { method: 'POST', agent, headers, signal }, resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection just as it was reused.
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(post(url, body, headers, signal));
      else reject(error);
    });
    // Closed without an error, for example after 101: nothing else would settle the attempt.
    request.on('close', () => reject(new Error('the connection was closed without an answer')));
    request.end(body);
    return promise;
  }

  return {
    async send(url, { message, secrets }, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const headers = {
        ...signatureHeaders(secrets, message),
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(message.body)),
        'accept-encoding': 'identity',
        'user-agent': 'Darkroom/2 (webhooks)',
      };
      try {
        const either = AbortSignal.any([signal, timeout]);
        return await readAnswer(await post(new URL(url), message.body, headers, either));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (timeout.aborted) return { error: `it did not answer within ${timeoutMs / 1000} seconds` };
        if (error instanceof AddressRefused) return { error: REFUSED };
        return { error: `it cannot be reached${unreachableReason(error)}` };
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** An answer whose status has arrived counts, even if its body breaks off. */
async function readAnswer(response: http.IncomingMessage): Promise<WebhookAnswer> {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      read += chunk.length;
      if (read >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The status is enough.
  }
  const body = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
  const wait = retryAfterSeconds(headers['retry-after']);
  return {
    statusCode,
    ...(statusCode >= 200 && statusCode <= 299 ? {} : { error: refusal(statusCode) }),
    ...(body !== '' && { body }),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
}

function refusal(statusCode: number): string {
  const redirects = statusCode >= 300 && statusCode <= 399;
  return `it answered ${statusCode}${redirects ? ', and redirects are not followed' : ''}`;
}
