import type { CapacityResult } from './run-capacity.ts';
import type { Costs } from './read-costs.ts';

const NAME_WIDTH = 30;
const VALUE_WIDTH = 17;
/** Name of the sum of all CPU times. */
export const TOTAL = 'cpu, all processes';

/** Costs with the sum of all CPU times. */
export function withTotal(costs: Costs): Costs {
  const times = Object.entries(costs).filter(([name]) => name.startsWith('cpu '));
  return { [TOTAL]: times.reduce((sum, [, ms]) => sum + ms, 0), ...costs };
}

/** A table with a line for each cost, and a column for each workload and for an idle second. */
export function report({ workloads, idle }: CapacityResult): string {
  const columns = [...workloads, { title: 'idle second', costs: idle }].map(({ title, costs }) => ({
    title,
    costs: withTotal(costs),
  }));
  const names = [...new Set(columns.flatMap(({ costs }) => Object.keys(costs)))].filter((name) =>
    columns.some(({ costs }) => Math.abs(costs[name] ?? 0) >= 0.005),
  );
  return [
    '',
    row(
      'one',
      columns.map(({ title }) => title),
    ),
    ...names.map((name) =>
      row(
        name.startsWith('cpu') ? `${name} (ms)` : name,
        columns.map(({ costs }) => figure(costs[name] ?? 0)),
      ),
    ),
    '',
    `Measured: ${workloads.map(({ title, units, seconds }) => `${units} × ${title} in ${seconds.toFixed(1)} s`).join(', ')}.`,
  ].join('\n');
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(VALUE_WIDTH)).join('');
}

/** Three digits, with separators. */
function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
