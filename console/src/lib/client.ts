import { ApiError, ConnectionError, Darkroom } from 'darkroom-client';
import { TEXTS } from '../texts.ts';

/** The client of the API, with the login session of this browser. */
export const client = new Darkroom({ baseUrl: '/api/v2' });

/** Whether the login session is missing or has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** One sentence about an error, for people: the one of the API where there is one. */
export function messageOf(error: unknown): string {
  if (error instanceof ConnectionError) return TEXTS.errors.offline;
  if (error instanceof ApiError) return error.message;
  return TEXTS.errors.unexpected;
}
