import cliProgress from 'cli-progress';
import { f1 } from '../metrics.ts';
import type { System } from '../systems/system.ts';
import { findManuals, type Manual } from './manuals.ts';
import { addScores, meanOf, orderOf, scoreManual, type RealScore } from './real-scores.ts';

interface Scored {
  manual: Manual;
  system: string;
  score: RealScore;
}

const HEADER = 'words   order  headings  levels   cells    code';

/**
 * Reads real manuals with each program and compares them with the HTML of the same source.
 *
 * @returns a table of the documents, worst first, and one of the programs by what the manuals were written in
 */
export async function scoreManuals(
  half: 'development' | 'held-out',
  systems: readonly System[],
  { only, stop }: { only: string; stop: AbortSignal },
): Promise<string> {
  const scored: Scored[] = [];
  const bar = new cliProgress.SingleBar({ format: '  {bar} {value} {what}', clearOnComplete: true });
  bar.start(0, 0, { what: '' });
  for await (const manual of findManuals(half, only)) {
    const { name, path, truth } = manual;
    const document = { name, group: 'text layer', type: 'pdf', bytes: new Uint8Array(), truth } as const;
    bar.setTotal(bar.getTotal() + systems.length);
    for (const system of systems) {
      stop.throwIfAborted();
      bar.update({ what: `${name}: ${system.name}` });
      const extraction = await system.extract({ ...document, truth }, path).catch((error: unknown) => {
        console.error(`\n${system.name} failed on ${name}: ${String(error)}`);
        return { text: '', headings: [], tables: [] };
      });
      if (extraction) scored.push({ manual, system: system.name, score: scoreManual(truth, extraction) });
      bar.increment();
    }
  }
  bar.stop();
  return [...reportManuals(scored), '', ...reportPrograms(scored)].join('\n');
}

function reportManuals(scored: readonly Scored[]): string[] {
  const own = scored
    .filter(({ system }) => system === 'Darkroom')
    .toSorted((a, b) => meanOf(a.score) - meanOf(b.score));
  return [
    'Real manual'.padEnd(34) + HEADER,
    ...own.map(({ manual, score }) => `  ${`${manual.name} (${manual.made})`.padEnd(32)}${row(score)}`),
  ];
}

function reportPrograms(scored: readonly Scored[]): string[] {
  const kinds = [...new Set(scored.map(({ manual }) => manual.made))];
  return kinds.flatMap((kind) => {
    const ofKind = scored.filter(({ manual }) => manual.made === kind);
    const names = [...new Set(ofKind.map(({ system }) => system))];
    return [
      `Written in ${kind}`.padEnd(34) + HEADER,
      ...names.map((name) => {
        const scores = ofKind.filter(({ system }) => system === name).map(({ score }) => score);
        return `  ${name.padEnd(32)}${row(addScores(scores))}`;
      }),
    ];
  });
}

function row(score: RealScore): string {
  const { words, headings, levels, cells, code } = score;
  const right = headings.matched === 0 ? 0 : levels / headings.matched;
  const shown = [f1(words), orderOf(score), f1(headings), right, f1(cells), f1(code)];
  return shown.map((value, index) => value.toFixed(3).padStart(index === 0 ? 5 : 8)).join('');
}
