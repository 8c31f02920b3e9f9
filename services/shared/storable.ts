import { isStorable } from '../../domain/storable-text.ts';

/** Removes characters that Postgres cannot store from a value's texts: NUL and unpaired surrogates. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return (isStorable(value) ? value : clean(value)) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => storable(entry)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [storable(key), storable(entry)]),
  ) as T;
}

function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
