import { extractLocally } from '../../../engines/local-extraction/extract-locally.ts';
import { normalise } from '../metrics.ts';
import type { Darkroom } from '../systems/darkroom.ts';
import { findInvoices } from './invoices.ts';
import type { Half } from '../half.ts';

/**
 * Extracts the values of real invoices without a model and compares them with those that people read.
 *
 * @returns a line for each invoice, fewest right values first, and the sum
 */
export async function scoreInvoices(half: Half, darkroom: Darkroom, stop: AbortSignal): Promise<string> {
  const scored: { name: string; right: number; wrong: string[]; asked: number }[] = [];
  for (const { name, path, schema, truth } of await findInvoices(half)) {
    stop.throwIfAborted();
    const document = { name, group: 'text layer', type: 'pdf', bytes: new Uint8Array(), truth: [] } as const;
    const pages = await darkroom.pages({ ...document, truth: [] }, path);
    const found = extractLocally(pages, schema, () => true);
    const fields = Object.entries(truth);
    const right = fields.filter(([field, value]) => isSame(value, found[field]));
    const wrong = Object.keys(found).filter((field) => !right.some(([known]) => known === field));
    scored.push({ name, right: right.length, wrong, asked: fields.length });
  }
  const share = (one: { right: number; asked: number }): number => one.right / one.asked;
  const total = (of: (one: (typeof scored)[number]) => number): number =>
    scored.reduce((sum, one) => sum + of(one), 0);
  return [
    `${'Invoices, values without a model'.padEnd(44)}right     of  wrong`,
    ...scored
      .toSorted((a, b) => share(a) - share(b))
      .map(({ name, right, asked, wrong }) => line(name, right, asked, wrong.length)),
    line(
      'all',
      total(({ right }) => right),
      total(({ asked }) => asked),
      total(({ wrong }) => wrong.length),
    ),
  ].join('\n');
}

const line = (label: string, ...counts: number[]): string =>
  `  ${label.padEnd(40)}${counts.map((count) => String(count).padStart(7)).join('')}`;

function isSame(truth: string | number, found: unknown): boolean {
  if (typeof truth === 'number') return Number(found) === truth;
  return typeof found === 'string' && normalise(found).toLowerCase() === normalise(truth).toLowerCase();
}
