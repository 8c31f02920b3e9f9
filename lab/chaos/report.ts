import { piecesOf, type ChaosPlan } from './plan.ts';
import { nameOfFault, type Fault } from './plan-faults.ts';
import type { ChaosResult } from './run-chaos.ts';
import type { ImportResult } from './run-import.ts';

const SHOWN = 20;

/** The plan of a run in one line. */
export function describePlan({ deliveries, faults, tasks }: ChaosPlan, seed: number): string {
  const pieces = deliveries.flatMap(piecesOf);
  const kinds = counts(tally(pieces.map(({ kind }) => kind)));
  const pages = pieces.reduce((sum, piece) => sum + (piece.kind === 'pdf' ? piece.pages : 0), 0);
  const kindsOfFaults = counts(tally(faults.map(({ kind }) => kind)));
  return (
    `seed ${seed}: ${pieces.length} files (${kinds}; ${pages} pages in PDFs), faults (${kindsOfFaults}), ` +
    `tasks (${counts(tally(tasks.map(({ kind }) => kind)))})`
  );
}

/** The same for a run with an import. */
export function reportImport(
  { breaches, injected, seconds }: ImportResult,
  { files, again, faults, seed }: { files: number; again: boolean; faults: readonly Fault[]; seed: number },
): string {
  const done = [...injected.values()].reduce((sum, count) => sum + count, 0);
  return [
    '',
    row('faults', counts([...injected])),
    ...breaches.slice(0, SHOWN).map((breach) => `  ✗ ${breach}`),
    '',
    `chaos ${breaches.length === 0 ? 'survived' : 'BROKE something'}: ${files} files to ${again ? 'reprocess' : 'import'}, ${done} of ${faults.length} faults, ` +
      `${breaches.length} breaches, ${Math.round(seconds)} s, seed ${seed}`,
  ].join('\n');
}

/**
 * The report of a run; its last line is the summary.
 *
 * @param impossible what could not be part of the run on this machine
 */
export function report(
  result: ChaosResult,
  { plan, seed, impossible }: { plan: ChaosPlan; seed: number; impossible: readonly string[] },
): string {
  const { findings, breaches, injected, unexpectedExits, credits, webhooks, seconds } = result;
  const files = plan.deliveries.flatMap(piecesOf).length;
  const [killed, others] = split(injected, ([name]) => name.startsWith('kill '));
  const planned = split(plan.faults.map(nameOfFault), (name) => name.startsWith('kill '));
  const sum = (entries: readonly [string, number][]) => entries.reduce((all, [, count]) => all + count, 0);
  const summary =
    `${result.acknowledged} of ${files} files acknowledged, ${sum(killed)} of ${planned[0].length} kills, ` +
    `${sum(others)} of ${planned[1].length} other faults, ${findings.lost.length} lost, ` +
    `${findings.duplicated.length} duplicated, ${findings.unfinished.length} not completed, ` +
    `audit ${result.auditCode === 0 ? 'holds' : 'broken'}, ${Math.round(seconds.upload + seconds.end)} s, seed ${seed}`;
  return [
    '',
    row('kills', counts(killed.map(([name, count]) => [name.replace('kill ', ''), count]))),
    row('other faults', counts(others)),
    ...(unexpectedExits.size > 0 ? [row('unexpected exits', counts(unexpectedExits))] : []),
    ...(impossible.length > 0 ? [row('not possible here', impossible.join(', '))] : []),
    row('statuses', counts(Object.entries(result.statuses))),
    row('completed tasks', counts(tally(result.tasks.map(({ kind }) => kind)))),
    row('credits', `${credits.used} used, ${credits.expected} expected`),
    row('client errors', counts(result.clientProblems)),
    row(
      'webhooks',
      `${webhooks.events} events in ${webhooks.requests} requests, ${webhooks.problems} missing or incorrect`,
    ),
    row(
      'time',
      `${result.startedAt.toISOString()}, ${seconds.upload.toFixed(1)} s to upload, ${seconds.end.toFixed(1)} s until all ` +
        `work had ended, ${seconds.recovery.toFixed(1)} s after the last upload and fault`,
    ),
    ...(breaches.length > 0 ? ['', ...breaches.slice(0, SHOWN).map((breach) => `  ✗ ${breach}`)] : []),
    ...(breaches.length > SHOWN ? [`  ✗ and ${breaches.length - SHOWN} more`] : []),
    '',
    `chaos ${breaches.length === 0 ? 'survived' : 'BROKE something'}: ${summary}`,
  ].join('\n');
}

function row(title: string, value: string): string {
  return `${title.padEnd(20)} ${value}`;
}

function split<T>(items: Iterable<T>, isFirst: (item: T) => boolean): [T[], T[]] {
  const all = [...items];
  return [all.filter(isFirst), all.filter((item) => !isFirst(item))];
}

function tally(names: readonly string[]): [string, number][] {
  return [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]);
}

function counts(entries: Iterable<[string, number]>): string {
  const sorted = [...entries].toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ') || 'nothing';
}
