import { ApiError, ConnectionError, Darkroom, DarkroomError } from 'darkroom-client';
import { TEXTS } from '../texts.ts';
import { CATALOGUE } from './language.ts';
import { t } from './translate.ts';

/** The client of the API, with the login session of this browser. */
export const client = new Darkroom({ baseUrl: '/api/v2' });

/** Whether the login session is missing or has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/**
 * One sentence about an error, for people: that of the API, which has values that its code does not say, where people
 * read English; elsewhere the translation of its code.
 */
export function messageOf(error: unknown): string {
  if (error instanceof ConnectionError) return TEXTS.errors.offline;
  if (error instanceof DarkroomError) return byCode(error.code, error.message);
  return TEXTS.errors.unexpected;
}

/**
 * What a code of the API means, in the language of the page.
 *
 * @param english the sentence of the API, for English, for codes without a translation, and as the `detail` of one
 */
export const byCode = (code: string, english: string): string =>
  CATALOGUE[code] === undefined ? english : t(code, { detail: english });

/** What the API says about single fields of a body: their names, and what is wrong with them. */
export const fieldErrorsOf = (error: unknown): [name: string, message: string][] =>
  error instanceof ApiError
    ? error.errors.map(({ pointer, message }) => [pointer.split('/')[2] ?? '', message])
    : [];
