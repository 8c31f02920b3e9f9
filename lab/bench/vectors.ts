/** The mean of vectors, of length 1. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value;
  const length = Math.hypot(...sum);
  return length === 0 ? sum : sum.map((value) => value / length);
}

/** Places of the unit vectors that are nearest to one, nearest first. */
export function nearestOf(vector: readonly number[], all: readonly Float32Array[], limit: number): number[] {
  return all
    .map((other, at) => ({
      at,
      near: other.reduce((sum, value, place) => sum + value * (vector[place] ?? 0), 0),
    }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, limit)
    .map(({ at }) => at);
}
