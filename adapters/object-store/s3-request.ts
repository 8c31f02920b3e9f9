import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { describeSpan, traced } from '../../domain/tracing.ts';
import type { S3Config } from './config.ts';
import { ObjectStoreUnavailable } from './object-store.ts';

/** URL of a key, or of the bucket itself, for internal requests. */
export function s3Url(config: S3Config, key = '', query: Record<string, string> = {}): URL {
  return urlBelow(config.S3_ENDPOINT, config, key, query);
}

/** Public URL of a key, the base of presigned URLs. */
export function publicS3Url(config: S3Config, key: string, query: Record<string, string> = {}): URL {
  return urlBelow(config.S3_PUBLIC_ENDPOINT ?? config.S3_ENDPOINT, config, key, query);
}

/** The source of a copy in either URL style: bucket and key, escaped. */
export function copySource(config: S3Config, key: string): string {
  return `/${config.S3_BUCKET}/${escapeKey(key)}`;
}

function urlBelow(endpoint: string, config: S3Config, key: string, query: Record<string, string>): URL {
  const { S3_BUCKET: bucket, S3_FORCE_PATH_STYLE: pathStyle } = config;
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${pathStyle ? `/${bucket}` : ''}${key === '' ? '' : `/${escapeKey(key)}`}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

const escapeKey = (key: string): string => key.split('/').map(escapeReserved).join('/');

/** Escapes all but unreserved characters, as signatures require. */
export function escapeReserved(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Credentials and scope of a signature, as options of `AwsV4Signer`. */
export function signingIdentity(config: S3Config) {
  const { S3_SESSION_TOKEN: sessionToken } = config;
  return {
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    ...(sessionToken !== undefined && { sessionToken }),
    region: config.S3_REGION,
    service: 's3',
  };
}

interface S3Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Absent for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  signal?: AbortSignal | undefined;
  /** Limit for the response head, over all attempts. */
  answerWithinMs?: number;
  attempts?: number;
}

export type S3Request = (call: S3Call) => Promise<http.IncomingMessage>;

/** A 5 MiB part in this time is 87 kB/s: a slower store counts as down. */
const ANSWER_WITHIN_MS = 60_000;
/** A response body without data for this long is considered broken. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;
/** Statuses of a store that is temporarily busy or failing. */
const RETRYABLE = new Set([429, 500, 502, 503, 504]);

/**
 * Creates the function that sends signed requests, or unsigned ones if the access key id is empty. The payload is not part of the signature, so nothing is hashed here.
 * Every call is idempotent, so connection failures and retryable statuses are retried.
 *
 * @returns a function that resolves to the response, whatever its final status; the caller reads or destroys its body
 */
export function createS3Request(
  config: S3Config,
  agent: http.Agent,
  defaultAnswerWithinMs = ANSWER_WITHIN_MS,
): S3Request {
  const transport = config.S3_ENDPOINT.startsWith('https:') ? https : http;
  const signingKeys = new Map<string, ArrayBuffer>();

  async function send(call: S3Call, signal: AbortSignal): Promise<http.IncomingMessage> {
    const plain = {
      method: call.method,
      url: s3Url(config, call.key, call.query).href,
      ...(call.headers && { headers: call.headers }),
    };
    const { url, headers, method } = config.S3_ACCESS_KEY_ID
      ? await new AwsV4Signer({ ...plain, ...signingIdentity(config), cache: signingKeys }).sign()
      : { ...plain, headers: new Headers(call.headers) };
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const request = transport.request(url, { method, agent, signal, headers: Object.fromEntries(headers) });
    request.on('error', reject).on('response', (response) => {
      cutSilence(request, response);
      resolve(response);
    });
    if (call.body) request.setHeader('content-length', call.body.byteLength);
    request.end(call.body);
    return promise;
  }

  async function answered(call: S3Call): Promise<http.IncomingMessage> {
    const { answerWithinMs = defaultAnswerWithinMs, attempts = ATTEMPTS } = call;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new Error(`no answer within ${answerWithinMs} ms`)),
      answerWithinMs,
    );
    const signal = call.signal ? AbortSignal.any([call.signal, deadline.signal]) : deadline.signal;
    try {
      for (let attempt = 1; ; attempt++) {
        const final = attempt === attempts;
        try {
          const response = await send(call, signal);
          if (final || !RETRYABLE.has(response.statusCode ?? 0)) {
            describeSpan({ 'http.response.status_code': response.statusCode, attempts: attempt });
            return response;
          }
          response.resume();
        } catch (error) {
          if (final || signal.aborted) throw error;
        }
        await delay(FIRST_PAUSE_MS * 4 ** (attempt - 1) * (1 + Math.random()), undefined, { signal });
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      const cause: unknown = signal.aborted ? signal.reason : error;
      throw new ObjectStoreUnavailable(`${call.method} ${call.key ?? 'bucket'}: ${String(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  return (call) => traced(`s3 ${call.method}`, () => answered(call));
}

/** Destroys a response whose body has stalled; a slow reader is not affected. */
function cutSilence(request: http.ClientRequest, response: http.IncomingMessage): void {
  const { socket } = response;
  const onSilence = () => {
    if (response.isPaused()) socket.setTimeout(SILENCE_MS);
    else request.destroy(new Error(`the answer's body stopped for ${SILENCE_MS} ms`));
  };
  socket.setTimeout(SILENCE_MS);
  socket.on('timeout', onSilence);
  response.once('close', () => socket.off('timeout', onSilence));
}
