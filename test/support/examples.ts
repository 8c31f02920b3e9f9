import type { Json } from './api.ts';

/** A request and its response, as in the OpenAPI document. */
export interface Example {
  /** Values of path and query parameters. */
  parameters?: Record<string, Json>;
  body?: Json;
  /** Absent if the response has no JSON. */
  answer?: Json;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const HASH = /\b[0-9a-f]{64}\b/g;
const KEY_ID = /^[0-9a-f]{8}$/;
const KEY = /drk_[0-9a-f]{8}_(…|[\w-]{43})/g;
const LOGIN = /\b(\w+)-[0-9a-f]{8}@/g;
/** The token in an email. */
const TOKEN = /^[\w-]{43}$/;
const ETAG = /^[0-9a-f]{32}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PRESIGNED = /^https?:\/\/[^/]+\/([^?]+)\?.*X-Amz-Signature=.*$/;
const STORE_HASH = 'x-amz-checksum-sha256';
const NAMED: Readonly<Record<string, string>> = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  endpoint: 'https://s3.example.com',
};
/** A URL of a web site that tests serve. */
const PAGE = /http:\/\/127\.0\.0\.1:\d+\/(keeper|lamps)/g;
const CONSENT =
  'https://accounts.google.com/o/oauth2/v2/auth?client_id=darkroom&response_type=code&access_type=offline';
const DURATIONS: Readonly<Record<string, number>> = {
  processing_time_ms: 640,
  duration_ms: 640,
  processing_duration_seconds: 2.4,
  age_seconds: 75,
};

/** Replaces values that differ between runs, such as ids, times and signatures, by fixed values of the same form. */
export function generalise(value: Json, name = ''): Json {
  if (Array.isArray(value)) return value.map((one) => generalise(one));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, generalise(one, key)]));
  }
  if (typeof value === 'number') return DURATIONS[name] ?? value;
  if (typeof value !== 'string') return value;
  if (NAMED[name] !== undefined) return NAMED[name];
  if (MOMENT.test(value)) return '2026-01-15T09:30:00.000Z';
  if (name === STORE_HASH) return 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=';
  if (KEY_ID.test(value)) return '4f9c2a1e';
  if (name === 'token' && TOKEN.test(value)) return 'i5jpT1lZ8ioPdJAEZaZRwa4vaTFCtkCAABksjYbJmvw';
  if (name === 'state' && TOKEN.test(value)) return 'k3Jv0Zy5mQp8sT1uXw4aBc7dEf9gHi2jKl6nOr0PtVx';
  if (name === 'authorization_url') return CONSENT;
  if (ETAG.test(value)) return '9b2cf535f27731c974343645a3985328';
  return value
    .replace(PRESIGNED, 'https://storage.example.com/$1?X-Amz-Signature=5d41402abc4b2a76')
    .replaceAll(PAGE, 'https://example.com/$1')
    .replaceAll(/\b127\.0\.0\.1:\d+-(keeper|lamps)\b/g, 'example.com-$1')
    .replaceAll(UUID, '0b2e6f9a-7c1d-4e58-9a36-5f1c8d2b7e40')
    .replaceAll(KEY, (_key, secret: string) => `drk_4f9c2a1e_${secret.length > 1 ? 'x'.repeat(43) : secret}`)
    .replaceAll(LOGIN, '$1@')
    .replaceAll(HASH, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08')
    .replaceAll(/\boriginal-[0-9a-f]{12}\b/g, 'original-4e1f0a9c7b2d');
}

/** The parameters of a request in a path template and a query. */
export function parametersOf(template: string, path: string, query: URLSearchParams): Record<string, Json> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  const values = pattern.exec(path)?.slice(1) ?? [];
  const given = names.map((name, at): [string, Json] => [name, values[at]]);
  for (const name of new Set(query.keys())) {
    const all = query.getAll(name);
    const [one = ''] = all;
    // An id may happen to consist of digits.
    given.push([name, all.length > 1 ? all : name.endsWith('_id') ? one : readValue(one)]);
  }
  return Object.fromEntries(given);
}

function readValue(text: string): Json {
  return /^(true|false|-?\d+)$/.test(text) ? JSON.parse(text) : text;
}

/** The JSON of a response, or of the first event of an event stream. */
export async function answerOf(response: Response): Promise<Json> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('json')) return response.json();
  if (!type.includes('event-stream')) return undefined;
  return JSON.parse(/^data: (.*)$/m.exec(await response.text())?.[1] ?? 'null');
}

/** A request body as JSON; the files of a form are replaced by `(bytes)`. */
export function bodyOf(body: unknown): Json {
  if (typeof body === 'string') return JSON.parse(body);
  if (!(body instanceof FormData)) return undefined;
  const fields = [...new Set(body.keys())].map((name): [string, Json] => {
    const values = body.getAll(name).map((value) => (typeof value === 'string' ? value : '(bytes)'));
    return [name, name === 'files' ? values : readValue(values[0] ?? '')];
  });
  return Object.fromEntries(fields);
}
