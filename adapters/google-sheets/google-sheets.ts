import { z } from 'zod';
import type { GoogleConfig } from './config.ts';
import { callGoogle } from './google-call.ts';
import { GoogleError } from './google-error.ts';

/** Scope limited to files created by this client. */
const SCOPE = 'https://www.googleapis.com/auth/drive.file';
const SPREADSHEET = 'application/vnd.google-apps.spreadsheet';
/** The spreadsheet property that holds the export id. */
const EXPORT_PROPERTY = 'darkroom_export';

/** A value as Google stores it; null is an empty cell. */
export type SheetCell = string | number | null;

export interface Spreadsheet {
  id: string;
  url: string;
}

/** Parameters of a consent, for the authorization code flow with PKCE. */
export interface Consent {
  state: string;
  codeChallenge: string;
  /** The return URL, registered at Google. */
  redirectUri: string;
}

/** Spreadsheets in users' Google accounts. Every method throws GoogleError. */
export interface GoogleSheets {
  /** The page on which the owner of an account consents. */
  consentUrl(consent: Consent): URL;
  /** Exchanges the code of a return for a refresh token. */
  exchangeCode(
    returned: { code: string; codeVerifier: string; redirectUri: string },
    signal: AbortSignal,
  ): Promise<string>;
  /** An access token, valid for an hour. */
  accessToken(refreshToken: string, signal: AbortSignal): Promise<string>;
  /** Finds or creates the spreadsheet of an export. */
  ensureSpreadsheet(
    accessToken: string,
    wanted: { exportId: string; title: string },
    signal: AbortSignal,
  ): Promise<Spreadsheet>;
  /** Gives the first sheet of a spreadsheet this name and size. Idempotent. */
  shapeSheet(
    accessToken: string,
    spreadsheetId: string,
    sheet: { name: string; rows: number; columns: number },
    signal: AbortSignal,
  ): Promise<void>;
  /** Overwrites rows from this one on, counted from 1. Text stays text: nothing is evaluated. */
  writeRows(
    accessToken: string,
    spreadsheetId: string,
    at: { sheet: string; firstRow: number; rows: readonly (readonly SheetCell[])[] },
    signal: AbortSignal,
  ): Promise<void>;
}

const tokens = z.object({ access_token: z.string().optional(), refresh_token: z.string().optional() });
const fileList = z.object({ files: z.array(z.object({ id: z.string() })).default([]) });
const file = z.object({ id: z.string() });
const spreadsheet = z.object({
  sheets: z.array(z.object({ properties: z.object({ sheetId: z.number() }) })).min(1),
});

/** Google Sheets for the configured client; undefined if none is configured. */
export function createGoogleSheets(config: GoogleConfig): GoogleSheets | undefined {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_BASE_URL: base } = config;
  if (!clientId || !clientSecret) return undefined;
  const at = (google: string, path: string) => new URL(path, base ?? google);
  const tokenUrl = at('https://oauth2.googleapis.com', '/token');
  const drive = (path: string) => at('https://www.googleapis.com', `/drive/v3/files${path}`);
  const sheets = (path: string) => at('https://sheets.googleapis.com', `/v4/spreadsheets/${path}`);

  async function token(grant: Record<string, string>, signal: AbortSignal) {
    const body = new URLSearchParams({
      client_id: clientId ?? '',
      client_secret: clientSecret ?? '',
      ...grant,
    });
    return parse(tokens, await callGoogle({ method: 'POST', url: tokenUrl, body, signal }));
  }

  return {
    consentUrl({ state, codeChallenge, redirectUri }) {
      const url = at('https://accounts.google.com', '/o/oauth2/v2/auth');
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: SCOPE,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        // Without these two, a repeated consent gives no refresh token.
        access_type: 'offline',
        prompt: 'consent',
      }).toString();
      return url;
    },

    async exchangeCode({ code, codeVerifier, redirectUri }, signal) {
      const grant = { grant_type: 'authorization_code', code, code_verifier: codeVerifier };
      const { refresh_token: refreshToken } = await token({ ...grant, redirect_uri: redirectUri }, signal);
      if (refreshToken) return refreshToken;
      throw new GoogleError('CONNECTION_REJECTED', 'Google gave no refresh token');
    },

    async accessToken(refreshToken, signal) {
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const { access_token: accessToken } = await token(grant, signal);
      if (accessToken) return accessToken;
      throw new GoogleError('CONNECTION_REJECTED', 'Google gave no access token');
    },

    async ensureSpreadsheet(accessToken, { exportId, title }, signal) {
      const found = drive('');
      const query = `appProperties has { key='${EXPORT_PROPERTY}' and value='${exportId}' } and trashed = false`;
      found.search = new URLSearchParams({ q: query, fields: 'files(id)' }).toString();
      const { files } = parse(fileList, await callGoogle({ method: 'GET', url: found, accessToken, signal }));
      const made =
        files[0] ??
        parse(
          file,
          await callGoogle({
            method: 'POST',
            url: drive('?fields=id'),
            accessToken,
            body: { name: title, mimeType: SPREADSHEET, appProperties: { [EXPORT_PROPERTY]: exportId } },
            signal,
          }),
        );
      return {
        id: made.id,
        url: `https://docs.google.com/spreadsheets/d/${encodeURIComponent(made.id)}/edit`,
      };
    },

    async shapeSheet(accessToken, spreadsheetId, { name, rows, columns }, signal) {
      const id = encodeURIComponent(spreadsheetId);
      const url = sheets(`${id}?fields=sheets.properties`);
      const { sheets: all } = parse(
        spreadsheet,
        await callGoogle({ method: 'GET', url, accessToken, signal }),
      );
      const gridProperties = { rowCount: rows, columnCount: columns, frozenRowCount: 1 };
      const properties = { sheetId: all[0]?.properties.sheetId, title: name, gridProperties };
      const fields = 'title,gridProperties(rowCount,columnCount,frozenRowCount)';
      await callGoogle({
        method: 'POST',
        url: sheets(`${id}:batchUpdate`),
        accessToken,
        body: { requests: [{ updateSheetProperties: { properties, fields } }] },
        signal,
      });
    },

    async writeRows(accessToken, spreadsheetId, { sheet, firstRow, rows }, signal) {
      const range = `'${sheet.replaceAll("'", "''")}'!A${firstRow}`;
      const path = `${encodeURIComponent(spreadsheetId)}/values/${encodeURIComponent(range)}`;
      // RAW: "The values the user has entered will not be parsed". An empty cell must be written as such.
      const values = rows.map((row) => row.map((cell) => cell ?? ''));
      await callGoogle({
        method: 'PUT',
        url: sheets(`${path}?valueInputOption=RAW`),
        accessToken,
        body: { range, majorDimension: 'ROWS', values },
        signal,
      });
    },
  };
}

function parse<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new GoogleError('CONNECTION_UNAVAILABLE', 'Google answered something unexpected', {
    cause: parsed.error,
  });
}
