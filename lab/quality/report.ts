import { summarise, type Score, type Summary } from './score.ts';
import type { Group } from './truth.ts';

const GROUPS: readonly Group[] = [
  'text layer',
  'clean scan',
  'rough scan',
  'turned scan',
  'German scan',
  'French scan',
  'Spanish scan',
  'Arabic scan',
  'mixed',
  'word',
  'plain',
];
const percent = (value: number): string => `${(value * 100).toFixed(2)} %`;
const part = (value: number): string => value.toFixed(3);
const HEADER = 'errors    heading F1  levels  cell F1  order';

/** One line per program for each group of documents. Programs that support no document of a group are omitted. */
export function reportScores(results: ReadonlyMap<string, readonly Score[]>): string {
  return GROUPS.flatMap((group) => {
    const lines = [...results].flatMap(([name, scores]) => {
      const own = scores.filter((score) => score.group === group);
      return own.length > 0 ? [`  ${name.padEnd(24)}${row(summarise(own))}`] : [];
    });
    const [first] = [...results.values()].map(
      (scores) => scores.filter((score) => score.group === group).length,
    );
    return lines.length > 0 ? [`${group} (${first} documents)`.padEnd(26) + HEADER, ...lines, ''] : [];
  }).join('\n');
}

/** The documents of one program, worst first. */
export function reportDocuments(scores: readonly Score[]): string {
  const lines = scores
    .map((score) => ({ score, summary: summarise([score]) }))
    .toSorted((a, b) => b.summary.errorRate - a.summary.errorRate)
    .map(
      ({ score, summary }) => `  ${`${score.document} (${score.group})`.padEnd(44)}${row(summary, score)}`,
    );
  return [`${'Document'.padEnd(46)}${HEADER}`, ...lines].join('\n');
}

function row({ errorRate, headingF1, levels, cellF1, tau }: Summary, score?: Score): string {
  const dash = (shown: boolean, text: string): string => (shown ? text : '–');
  const cells = score ? score.cells.expected + score.cells.found > 0 : true;
  return [
    percent(errorRate).padStart(8),
    part(headingF1).padStart(12),
    part(levels).padStart(8),
    dash(cells, part(cellF1)).padStart(9),
    part(tau).padStart(7),
  ].join('');
}
