import cliProgress from 'cli-progress';
import { f1 } from '../metrics.ts';
import type { System } from '../systems/system.ts';
import { formsOf, scansOf } from './forms.ts';
import type { Half } from '../half.ts';
import { findManuals } from './manuals.ts';
import { addScores, meanOf, orderOf, scoreManual, scoreScan, type RealScore } from './real-scores.ts';

interface Scored {
  name: string;
  form: string;
  system: System;
  score: RealScore;
}

const HEADER = 'words   order  headings  levels   cells    code';
const CHARACTERS = '     CER';

/**
 * Reads real manuals and documents made of their HTML, or scans of excerpts, with each program and compares them with that HTML.
 *
 * @returns for each form a table of the documents, worst first, and of the programs
 */
export async function scoreManuals(
  half: Half,
  systems: readonly System[],
  { only, folder, scans, stop }: { only: string; folder: string; scans: boolean; stop: AbortSignal },
): Promise<string> {
  const scored: Scored[] = [];
  const bar = new cliProgress.SingleBar({ format: '  {bar} {value}/{total} {what}', clearOnComplete: true });
  const manuals = await findManuals(half);
  bar.start(manuals.length, 0, { what: '' });
  for (const manual of manuals) {
    const made = scans ? scansOf(manual, { only, folder }) : formsOf(manual, only);
    for await (const { name, form, group, type, path, truth } of made) {
      const document = { name, group, type, bytes: new Uint8Array(), truth } as const;
      for (const system of systems) {
        stop.throwIfAborted();
        bar.update({ what: `${name}: ${system.name}` });
        const extraction = await system.extract({ ...document, truth }, path).catch((error: unknown) => {
          console.error(`\n${system.name} failed on ${name}: ${String(error)}`);
          return { text: '', headings: [], tables: [] };
        });
        if (extraction)
          scored.push({ name, form, system, score: (scans ? scoreScan : scoreManual)(truth, extraction) });
      }
    }
    bar.increment();
  }
  bar.stop();
  const forms = Map.groupBy(scored, ({ form }) => form);
  return [
    ...[...forms].flatMap(([form, ofForm]) =>
      reportForm(
        form,
        ofForm.filter(({ system }) => system.tablesOnly !== true),
      ),
    ),
    ...reportTables(scored.filter(({ score }) => score.cells.expected > 0)),
  ].join('\n');
}

function reportForm(form: string, scored: readonly Scored[]): string[] {
  const own = scored
    .filter(({ system }) => system.name === 'Darkroom')
    .toSorted((a, b) => meanOf(a.score) - meanOf(b.score));
  const programs = Map.groupBy(scored, ({ system }) => system.name);
  return [
    `${form} (${own.length} documents)`.padEnd(44) + HEADER + (own[0]?.score.characters ? CHARACTERS : ''),
    ...own.map(({ name, score }) => `  ${name.padEnd(42)}${row(score)}`),
    ...[...programs].map(
      ([program, ofProgram]) =>
        `  ${`all: ${program}`.padEnd(42)}${row(addScores(ofProgram.map(({ score }) => score)))}`,
    ),
    '',
  ];
}

/** Cells in their place and neighbouring cells, of the documents that have tables; each document counts alike. */
function reportTables(scored: readonly Scored[]): string[] {
  const row = (label: string, scores: readonly RealScore[]): string => {
    const mean = (of: (score: RealScore) => number): string =>
      (scores.reduce((sum, score) => sum + of(score), 0) / Math.max(1, scores.length)).toFixed(3);
    const shown = [mean(({ cells }) => f1(cells)), mean(({ adjacency }) => f1(adjacency))];
    return `  ${label.padEnd(42)}${shown.map((value) => value.padStart(9)).join('')}`;
  };
  const own = scored
    .filter(({ system }) => system.name === 'Darkroom')
    .toSorted((a, b) => f1(a.score.adjacency) - f1(b.score.adjacency));
  const forms = Map.groupBy(scored, ({ form }) => form);
  return [
    `Tables (${own.length} documents)`.padEnd(44) + '    cells  neighbours',
    ...own.map(({ name, score }) => row(name, [score])),
    ...[...forms].flatMap(([form, ofForm]) =>
      [...Map.groupBy(ofForm, ({ system }) => system.name)].map(([program, ofProgram]) =>
        row(
          `${form}: ${program}`,
          ofProgram.map(({ score }) => score),
        ),
      ),
    ),
  ];
}

function row(score: RealScore): string {
  const { words, headings, levels, cells, code, characters } = score;
  const right = headings.matched === 0 ? 0 : levels / headings.matched;
  const shown = [f1(words), orderOf(score), f1(headings), right, f1(cells), f1(code)];
  if (characters) shown.push(characters.errors / Math.max(1, characters.characters));
  return shown.map((value, index) => value.toFixed(3).padStart(index === 0 ? 5 : 8)).join('');
}
