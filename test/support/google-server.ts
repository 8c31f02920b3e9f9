import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Spreadsheet {
  owner: string;
  name: string;
  properties: Record<string, string>;
  sheet: { title: string; rowCount: number; columnCount: number };
  /** Cells by row and column, from 0. */
  cells: unknown[][];
}

/** Faults of one account in its next calls for cells. */
interface Trouble {
  status: number;
  retryAfter?: string;
  times: number;
}

/**
 * A fake of Google's tokens, Drive and Sheets for the calls that exports make. An account is its refresh token: any
 * token that begins with `account-` is valid until it is revoked. Tests inspect the server and inject faults at
 * `/control`.
 */
export async function startGoogleServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const spreadsheets = new Map<string, Spreadsheet>();
  const codes = new Map<string, string>();
  const revoked = new Set<string>();
  const troubles = new Map<string, Trouble>();
  const writes: { account: string; range: string }[] = [];

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => send(response, 500, { error: String(error) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const text = Buffer.concat(await request.toArray()).toString();
    if (pathname === '/token') return token(new URLSearchParams(text), response);
    if (pathname === '/o/oauth2/v2/auth') return consent(searchParams, response);
    const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    if (pathname.startsWith('/control/')) return control(pathname, body ?? {}, response);

    const account = /^Bearer access-(.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!account || revoked.has(account)) {
      return send(response, 401, {
        error: { code: 401, message: 'Request had invalid authentication credentials.' },
      });
    }
    const trouble = troubles.get(account);
    if (trouble && trouble.times > 0 && request.method === 'PUT') {
      trouble.times -= 1;
      const headers: Record<string, string> = trouble.retryAfter ? { 'retry-after': trouble.retryAfter } : {};
      return send(response, trouble.status, { error: { message: 'Quota exceeded' } }, headers);
    }
    if (pathname === '/drive/v3/files')
      return drive(request.method ?? '', account, searchParams, body, response);
    return sheets(request.method ?? '', account, decodeURIComponent(pathname), body, response);
  }

  function token(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code');
    if (code !== null) {
      const account = codes.get(code);
      codes.delete(code);
      if (!account)
        return send(response, 400, { error: 'invalid_grant', error_description: 'Malformed auth code.' });
      return send(response, 200, { access_token: `access-${account}`, refresh_token: account });
    }
    const account = form.get('refresh_token') ?? '';
    if (!account.startsWith('account-') || revoked.has(account)) {
      const error_description = 'Token has been expired or revoked.';
      return send(response, 400, { error: 'invalid_grant', error_description });
    }
    send(response, 200, { access_token: `access-${account}`, expires_in: 3599, token_type: 'Bearer' });
  }

  /** Grants consent immediately. */
  function consent(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    codes.set(code, `account-${randomUUID()}`);
    const location = new URL(asked.get('redirect_uri') ?? '');
    location.search = new URLSearchParams({ state: asked.get('state') ?? '', code }).toString();
    response.writeHead(302, { location: location.href }).end();
  }

  function drive(
    method: string,
    owner: string,
    query: URLSearchParams,
    body: Record<string, unknown> | undefined,
    response: ServerResponse,
  ): void {
    if (method === 'GET') {
      const value = /value='([^']*)'/.exec(query.get('q') ?? '')?.[1];
      const files = [...spreadsheets].flatMap(([id, sheet]) =>
        sheet.owner === owner && Object.values(sheet.properties).includes(value ?? '') ? [{ id }] : [],
      );
      return send(response, 200, { files });
    }
    const id = randomUUID();
    spreadsheets.set(id, {
      owner,
      name: String(body?.['name']),
      properties: (body?.['appProperties'] ?? {}) as Record<string, string>,
      sheet: { title: 'Sheet1', rowCount: 1000, columnCount: 26 },
      cells: [],
    });
    send(response, 200, { id });
  }

  function sheets(
    method: string,
    owner: string,
    path: string,
    body: Record<string, unknown> | undefined,
    response: ServerResponse,
  ): void {
    const [, id = '', range] =
      /^\/v4\/spreadsheets\/([^/:]+)(?::batchUpdate|\/values\/(.+))?$/.exec(path) ?? [];
    const found = spreadsheets.get(id);
    if (found?.owner !== owner) {
      return send(response, 404, { error: { code: 404, message: 'Requested entity was not found.' } });
    }
    if (method === 'GET') return send(response, 200, { sheets: [{ properties: { sheetId: 0 } }] });
    if (method === 'POST') {
      const { requests } = body as { requests: [{ updateSheetProperties: { properties: Properties } }] };
      const [request] = requests;
      const { title, gridProperties } = request.updateSheetProperties.properties;
      found.sheet = { title, ...gridProperties };
      return send(response, 200, {});
    }
    const firstRow = Number(/!A(\d+)$/.exec(range ?? '')?.[1]);
    const values = body?.['values'] as unknown[][];
    const outside = firstRow - 1 + values.length > found.sheet.rowCount;
    if (outside) return send(response, 400, { error: { message: `Range (${range}) exceeds grid limits.` } });
    writes.push({ account: owner, range: range ?? '' });
    for (const [at, row] of values.entries()) found.cells[firstRow - 1 + at] = row;
    send(response, 200, {});
  }

  function control(path: string, body: Record<string, unknown>, response: ServerResponse): void {
    const account = String(body['account']);
    if (path === '/control/revoke') revoked.add(account);
    if (path === '/control/trouble') troubles.set(account, body['trouble'] as Trouble);
    send(response, 200, {
      spreadsheets: [...spreadsheets].flatMap(([id, sheet]) =>
        sheet.owner === account ? [{ id, ...sheet }] : [],
      ),
      writes: writes.filter((write) => write.account === account),
    });
  }

  return {
    url,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Properties {
  title: string;
  gridProperties: { rowCount: number; columnCount: number };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
