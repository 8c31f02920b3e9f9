/** What a person says of a value: that it is right, or that it is not. */
export const REVIEWS = ['confirmed', 'rejected'] as const;
export type Review = (typeof REVIEWS)[number];

/** One statement about the value at a path, with the value that the person saw: it does not hold for another one. */
interface Correction<T> {
  value: T;
  of: unknown;
}

/** Corrections of an extraction, by dot-path. */
export interface Corrections {
  itemReviews: Readonly<Record<string, Correction<Review>>>;
  fieldEdits: Readonly<Record<string, Correction<unknown>>>;
}
