/** Note in the profile if the document was not read by its type's usual rules; usually null. */
export function readingNote(profile: unknown): string | null {
  const { note } = (profile ?? {}) as { note?: unknown };
  return typeof note === 'string' ? note : null;
}

/** Processor time in milliseconds that opening the document took when it was inspected, by its profile; 0 if unknown. */
export function openingMs(profile: unknown): number {
  const { openingMs: value } = (profile ?? {}) as { openingMs?: unknown };
  return typeof value === 'number' ? value : 0;
}
