import type { ChaosResult } from './run-chaos.ts';

const SHOWN = 20;

/** The report of a run; its last line is the summary. */
export function report(
  result: ChaosResult,
  { files, kills: planned, seed }: { files: number; kills: number; seed: number },
): string {
  const {
    findings,
    breaches,
    acknowledged,
    kills,
    unexpectedExits,
    statuses,
    clientProblems,
    webhooks,
    auditCode,
    seconds,
  } = result;
  const killed = [...kills.values()].reduce((sum, count) => sum + count, 0);
  const total = seconds.ingest + seconds.end;
  const summary =
    `${acknowledged} of ${files} files acknowledged, ${killed} of ${planned} kills, ${findings.lost.length} lost, ` +
    `${findings.duplicated.length} duplicated, ${findings.unfinished.length} not completed, ` +
    `audit ${auditCode === 0 ? 'holds' : 'broken'}, ${Math.round(total)} s, seed ${seed}`;
  return [
    '',
    row('kills', counts(kills)),
    ...(unexpectedExits.size > 0 ? [row('unexpected exits', counts(unexpectedExits))] : []),
    row('statuses', counts(Object.entries(statuses))),
    row('client errors', counts(clientProblems)),
    row(
      'webhooks',
      `${webhooks.events} events in ${webhooks.requests} requests, ${webhooks.problems} missing or incorrect`,
    ),
    row(
      'time',
      `${seconds.ingest.toFixed(1)} s to upload, ${seconds.end.toFixed(1)} s until all files had ended`,
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

function counts(entries: Iterable<[string, number]>): string {
  const sorted = [...entries].toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ') || 'nothing';
}
