/** A vector of length 1; of only rounding errors, or of values beyond what a number holds, zeros. */
export function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length < 1e-6 ? vector.map(() => 0) : vector.map((value) => value / length);
}

/** The cosine similarity of two vectors of any length, as `share` of it. */
export function similarity(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return share(lengths === 0 ? 0 : dot / lengths);
}

/** A cosine similarity as 0–1, with four decimals: negative ones count as 0, like unrelated contents. */
export function share(cosine: number): number {
  return Math.round(Math.min(1, Math.max(0, cosine)) * 10_000) / 10_000;
}
