import { recordAnswer } from './observed-answers.ts';
import type { Answer } from './api.ts';

/** A browser, logged in or not: sends requests with a cookie jar and without an API key. */
export interface Browser {
  /** Cookie values by name. */
  cookies: Map<string, string>;
  /** The `Set-Cookie` headers of the last response. */
  setCookies: string[];
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** @param apiUrl including `/api/v2` */
export function openBrowser(apiUrl: string): Browser {
  const cookies = new Map<string, string>();
  const browser: Browser = {
    cookies,
    setCookies: [],
    async request(method, path, body, headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(path.startsWith('http') ? path : `${apiUrl}${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(60_000),
        headers: {
          ...(cookie && { Cookie: cookie }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      browser.setCookies = response.headers.getSetCookie();
      for (const line of browser.setCookies) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      const answer = {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(text) : text,
      };
      if (!path.startsWith('http')) recordAnswer(method, path, answer);
      return answer;
    },
    get: (path) => browser.request('GET', path),
    post: (path, body, headers) => browser.request('POST', path, body, headers),
    patch: (path, body) => browser.request('PATCH', path, body),
    delete: (path) => browser.request('DELETE', path),
  };
  return browser;
}
