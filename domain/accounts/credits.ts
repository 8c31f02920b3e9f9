import type { ComponentName, Components } from '../components.ts';

/** Credits that one description of an image costs. */
export const DESCRIBE_CREDITS = 1;

/** Credits to reserve when work on these components is accepted. */
export function creditsFor(components: readonly ComponentName[]): number {
  return components.includes('description') ? DESCRIBE_CREDITS : 0;
}

/** Whether a reservation is spent (the paid work was delivered) or refunded, once a run has ended. */
export function settlement(components: Components): 'spend' | 'refund' {
  return components.description?.status === 'completed' ? 'spend' : 'refund';
}

/** One reservation for each run of a file. */
export function reservationId(fileId: string, generation: number): string {
  return `file/${fileId}/${generation}`;
}

/** First day of the credit month of a moment, as `YYYY-MM-01` (UTC). */
export function creditMonth(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}

/** Seconds until the credits of the next month are there. */
export function secondsToCreditReset(now: Date): number {
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  return Math.max(1, Math.ceil((next - now.getTime()) / 1000));
}
