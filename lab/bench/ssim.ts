/** An 8-bit grey picture, row by row. */
export interface Luma {
  data: Uint8Array;
  width: number;
  height: number;
}

const WINDOW = 8;
const STEP = 4;
/** The constants of Wang et al. (2004) for 8 bits. */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/**
 * Mean structural similarity of two pictures of equal size, 1 if identical. Uniform 8 × 8 windows that overlap by half.
 */
export function ssim(one: Luma, other: Luma): number {
  if (one.width !== other.width || one.height !== other.height)
    throw new RangeError('SSIM needs equal sizes.');
  let sum = 0;
  let windows = 0;
  for (let y = 0; y + WINDOW <= one.height; y += STEP) {
    for (let x = 0; x + WINDOW <= one.width; x += STEP) {
      sum += windowSsim(one, other, x, y);
      windows += 1;
    }
  }
  return sum / windows;
}

function windowSsim(one: Luma, other: Luma, left: number, top: number): number {
  const [n, a, b] = [WINDOW * WINDOW, one.data, other.data];
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let y = top; y < top + WINDOW; y++) {
    for (let at = y * one.width + left; at < y * one.width + left + WINDOW; at++) {
      const [valueA, valueB] = [a[at] ?? 0, b[at] ?? 0];
      sumA += valueA;
      sumB += valueB;
      squaresA += valueA * valueA;
      squaresB += valueB * valueB;
      products += valueA * valueB;
    }
  }
  const [meanA, meanB] = [sumA / n, sumB / n];
  const varianceA = squaresA / n - meanA * meanA;
  const varianceB = squaresB / n - meanB * meanB;
  const covariance = products / n - meanA * meanB;
  return (
    ((2 * meanA * meanB + C1) * (2 * covariance + C2)) /
    ((meanA * meanA + meanB * meanB + C1) * (varianceA + varianceB + C2))
  );
}
