/** Note in the profile if the document was not read by its type's usual rules; usually null. */
export function readingNote(profile: unknown): string | null {
  const { note } = (profile ?? {}) as { note?: unknown };
  return typeof note === 'string' ? note : null;
}

const LONGEST_NOTE = 1_000;

/** A profile whose note also says more. */
export function withNotes<Profile extends object>(profile: Profile, notes: readonly string[]): Profile {
  if (notes.length === 0) return profile;
  const note = [readingNote(profile) ?? [], notes].flat().join(' ').slice(0, LONGEST_NOTE).toWellFormed();
  return { ...profile, note };
}

/** Processor time in milliseconds that opening the document took when it was inspected, by its profile; 0 if unknown. */
export function openingMs(profile: unknown): number {
  const { openingMs: value } = (profile ?? {}) as { openingMs?: unknown };
  return typeof value === 'number' ? value : 0;
}
