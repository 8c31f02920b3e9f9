import { type Minute, replacedProcesses, rolesOf, slopeOf } from './minutes.ts';
import { type Slope, type Verdict, judge } from './slope.ts';

const MEGABYTE = 1e6;
const ROLE_WIDTH = 22;
const NUMBER_WIDTH = 13;
/** MB per hour. */
export const LIMIT = 1;
/** Minutes of a longer run share a block. */
const CHART_WIDTH = 60;
const BLOCKS = '▁▂▃▄▅▆▇█';
const HEAD = ['RSS', 'anonymous', 'heap', 'external', 'handles', 'descriptors', 'connections'];

/** A table for one minute: a row per role, memory in MB. */
export function minuteTable({ minute, roles }: Minute, note: string): string {
  const rows = [...roles].map(([role, usage]) =>
    row(role, [
      ...[usage.rss, usage.anonymous, usage.heap, usage.external].map(megabytes),
      ...[usage.handles, usage.descriptors, usage.connections].map((count) => count?.toString() ?? '–'),
    ]),
  );
  return ['', row(`minute ${minute}, MB`, HEAD), ...rows, `  ${note}`].join('\n');
}

export interface SoakOutcome {
  minutes: Minute[];
  warmUpMinutes: number;
  /** Files per second. */
  rate: number;
  files: number;
  problems: ReadonlyMap<string, number>;
}

/** Roles whose memory rises faster than the limit, and problems of the clients. */
export function findingsOf(outcome: SoakOutcome): string[] {
  const rising = verdictsOf(outcome)
    .filter(({ verdict }) => verdict === 'rises')
    .map(({ role, slope }) => `the memory of ${role} rises by ${slope ? show(slope) : ''} MB an hour`);
  return [...rising, ...[...outcome.problems].map(([problem, count]) => `${count} × ${problem}`)];
}

/** Roles for which the run was too short: with too few samples, or with an error that exceeds the limit. */
export function unjudgedIn(outcome: SoakOutcome): string[] {
  const verdicts = verdictsOf(outcome);
  if (verdicts.length === 0) return ['every process'];
  return verdicts.filter(({ verdict }) => !verdict || verdict === 'unclear').map(({ role }) => role);
}

/**
 * A table of the slopes after the warm-up, what has accumulated since then, and a chart of the memory in each minute; the
 * last line is the summary.
 */
export function report(outcome: SoakOutcome): string {
  const { minutes, warmUpMinutes, rate, files } = outcome;
  const after = afterWarmUp(outcome);
  const verdicts = verdictsOf(outcome);
  const rows = verdicts.map(({ role, slope, verdict }) => {
    const others = (['anonymous', 'heap', 'external'] as const).map((measure) =>
      show(slopeOf(after, role, measure)),
    );
    const replaced = replacedProcesses(after, role).length;
    const note = replaced > 0 ? `, peak memory of ${replaced} replaced processes` : '';
    return `${row(role, [show(slope), ...others])}  ${verdict ?? 'too few samples'}${note}`;
  });
  const findings = findingsOf(outcome);
  const unjudged = unjudgedIn(outcome);
  const result =
    findings.length > 0 ? 'FOUND something' : unjudged.length > 0 ? 'was too short to judge' : 'passed';
  const count = (wanted: Verdict) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  return [
    '',
    row('MB an hour', HEAD.slice(0, 4)),
    ...rows,
    '',
    row('after the warm-up', ['first', 'last']),
    ...countsOf(after),
    '',
    `RSS of each process from minute to minute, from its least to its most in MB`,
    ...rolesOf(minutes).map((role) => chart(role, minutes)),
    '',
    ...findings.map((finding) => `  ✗ ${finding}`),
    ...(unjudged.length > 0 ? [`  ? too short to judge ${unjudged.join(', ')}: run it for longer`] : []),
    `soak ${result}: ${minutes.length} minutes, of which ${Math.min(minutes.length, warmUpMinutes)} warm-up, ` +
      `${files} files at ${rate.toFixed(2)} a second, limit ${LIMIT} MB an hour: ` +
      `${count('level')} level, ${count('unclear')} unclear, ${count('rises')} rising`,
  ].join('\n');
}

/** The most handles, descriptors and connections of all processes in the first and in the last fifth of the minutes. */
function countsOf(minutes: readonly Minute[]): string[] {
  const fifth = Math.ceil(minutes.length / 5);
  const [first, last] = [minutes.slice(0, fifth), minutes.slice(-fifth)];
  const line = (name: string, of: (minute: Minute) => number) =>
    row(
      name,
      [first, last].map((some) => (some.length === 0 ? '–' : String(Math.max(...some.map(of))))),
    );
  const ofRoles = (measure: 'handles' | 'descriptors' | 'connections') =>
    line(measure, ({ roles }) => [...roles.values()].reduce((sum, usage) => sum + (usage[measure] ?? 0), 0));
  const ofLeftovers = (name: keyof NonNullable<Minute['leftovers']>) =>
    line(name, ({ leftovers }) => leftovers?.[name] ?? 0);
  return [
    ofRoles('handles'),
    ofRoles('descriptors'),
    ofRoles('connections'),
    ofLeftovers('temporary files'),
    ofLeftovers('longest history'),
  ];
}

function chart(role: string, minutes: readonly Minute[]): string {
  const values = minutes.map(({ roles }) => (roles.get(role)?.rss ?? 0) / MEGABYTE);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const together = Math.ceil(values.length / CHART_WIDTH);
  const shown = Array.from({ length: Math.ceil(values.length / together) }, (_, at) =>
    Math.max(...values.slice(at * together, (at + 1) * together)),
  );
  const height = (value: number) => Math.floor(((value - least) / (most - least || 1)) * (BLOCKS.length - 1));
  const blocks = shown.map((value) => BLOCKS[height(value)]).join('');
  return `${role.padEnd(ROLE_WIDTH)}${blocks}  ${least.toFixed(0)} – ${most.toFixed(0)}`;
}

function afterWarmUp({ minutes, warmUpMinutes }: SoakOutcome): Minute[] {
  return minutes.filter(({ minute }) => minute > warmUpMinutes);
}

function verdictsOf(outcome: SoakOutcome) {
  const after = afterWarmUp(outcome);
  return rolesOf(outcome.minutes).map((role) => {
    const slope = slopeOf(after, role, 'rss');
    return { role, slope, verdict: slope && judge(slope, LIMIT) };
  });
}

function row(title: string, cells: readonly string[]): string {
  return title.padEnd(ROLE_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join('');
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '–' : (bytes / MEGABYTE).toFixed(1);
}

function show(slope: Slope | undefined): string {
  return slope ? `${slope.perHour.toFixed(1)} ± ${slope.error.toFixed(1)}` : '–';
}
