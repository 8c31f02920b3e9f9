import { createHash } from 'node:crypto';
import { invalidField, type AppError } from '../../domain/app-error.ts';
import { isStorable } from '../../domain/storable-text.ts';
import type { FileOrder } from './file-order.ts';

/** Whether a text is a valid value of the type: the database rejects others with an error. */
const IS: Record<FileOrder['keys'][number]['type'], (value: string) => boolean> = {
  timestamptz: isTimestamp,
  bigint: (value) => /^\d{1,15}$/.test(value),
  numeric: (value) => /^\d{1,3}(\.\d{1,3})?$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  text: (value) => isStorable(value) && value.length <= 1000,
};

/** An opaque token for a position in a list; `list` is everything that identifies the list. */
export function writeCursor(list: unknown, place: readonly string[]): string {
  return Buffer.from(JSON.stringify([fingerprint(list), ...place])).toString('base64url');
}

/** @throws AppError VALIDATION_FAILED for a malformed cursor, and for one of another list */
export function readCursor(cursor: string, list: unknown, { keys }: FileOrder): string[] {
  const [of, ...place] = parse(cursor);
  if (of === undefined || (of === fingerprint(list) && place.length !== keys.length)) {
    throw refuse('is no cursor of this API');
  }
  if (of !== fingerprint(list)) throw refuse('belongs to a list with other filters or another order');
  if (!keys.every(({ type }, i) => IS[type](place[i] ?? ''))) throw refuse('is no cursor of this API');
  return place;
}

function parse(cursor: string): string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : [];
  } catch {
    return [];
  }
}

function fingerprint(list: unknown): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);
}

function refuse(message: string): AppError {
  return invalidField('/query/cursor', message);
}

/** As Postgres writes them in UTC: `2026-01-02 03:04:05.678+00`. */
function isTimestamp(value: string): boolean {
  if (value === 'infinity' || value === '-infinity') return true;
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00$/.exec(value) ?? [];
  const date = new Date(`${day}T${time}Z`);
  return (
    !Number.isNaN(date.getTime()) &&
    date.getUTCFullYear() > 0 &&
    date.toISOString().startsWith(`${day}T${time}`)
  );
}
