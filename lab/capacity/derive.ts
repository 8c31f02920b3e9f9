import { markdownTable } from '../../domain/markdown-table.ts';
import { LOCAL_IMAGE_MODEL } from '../../adapters/models/image-embedding/local-embedding.ts';
import { LOCAL_TEXT_MODEL } from '../../adapters/models/text-embedding/local-text-embedding.ts';
import { TOTAL, withTotal } from './report.ts';
import type { Costs } from './read-costs.ts';
import type { Measured } from './run-capacity.ts';

/** Files of an installation: nine images and one document of ten pages in ten files, with every tenth page scanned. */
const MIXED_FILE: Readonly<Record<string, number>> = {
  'image of 6 MP': 0.9,
  'page with text': 0.9,
  'scanned page': 0.1,
};
/** Above it, queues grow at every peak. */
const UTILISATION = 0.6;
const FILES_A_SECOND = [10, 1_000, 100_000];
const SECONDS_A_DAY = 86_400;
const HISTORY_DAYS = 30;
const MILLION = 1e6;
const MS_A_CORE_HOUR = 3_600_000;
/** Of graphs and of segments that are being rewritten, Qdrant's rule of thumb; a dimension takes one byte in memory. */
const VECTOR_OVERHEAD = 1.5;
const PROCESSES = ['api', 'worker', 'worker-cpu', 'worker-ocr', 'temporal', 'postgres'];

/**
 * The tables of docs/scaling.md that follow from measured costs, in Markdown: servers by files a second, and what a
 * million of each costs.
 *
 * @returns undefined unless every kind of a mixed file was measured
 */
export function deriveTables(workloads: readonly Measured[]): string | undefined {
  const costsOf = new Map(workloads.map(({ title, costs }) => [title, withVectors(title, withTotal(costs))]));
  if (Object.keys(MIXED_FILE).some((title) => !costsOf.has(title))) return undefined;
  const mixed = sum(
    Object.entries(MIXED_FILE).map(([title, share]) => scale(costsOf.get(title) ?? {}, share)),
  );
  return [
    `A mixed file costs ${figure(mixed[TOTAL] ?? 0)} ms of CPU.`,
    '',
    markdownTable([
      ['mixed files a second', ...FILES_A_SECOND.map((rate) => rate.toLocaleString('en'))],
      ...serverRows(mixed).map(([name, one]) => [name, ...FILES_A_SECOND.map((rate) => figure(one * rate))]),
    ]),
    markdownTable([
      ['a million', ...[...costsOf.keys()].map(plural), 'mixed files'],
      ...millionRows.map(([name, of]) => [
        name,
        ...[...costsOf.values(), mixed].map((costs) => figure(of(costs))),
      ]),
    ]),
  ].join('\n');
}

/** What one file a second needs, by name. */
function serverRows(costs: Costs): [name: string, one: number][] {
  const of = (name: string) => costs[name] ?? 0;
  const cores = PROCESSES.map((process): [string, number] => [
    `cores of \`${process}\``,
    cpuOf(costs, process) / 1000 / UTILISATION,
  ]);
  return [
    ['files a day, thousands', SECONDS_A_DAY / 1000],
    ...cores,
    ['statements a second', of('statements')],
    ['WAL, MB a second', of('WAL bytes') / MILLION],
    ['tables and indexes, GB a day', (of('database bytes') * SECONDS_A_DAY) / 1e9],
    ['PUT a second', of('requests PUT')],
    ['GET and HEAD a second', of('requests GET') + of('requests HEAD')],
    ['objects, TB a day', (of('object bytes') * SECONDS_A_DAY) / 1e12],
    ['state transitions a second', of('state transitions')],
    [`histories of ${HISTORY_DAYS} days, TB`, (of('history bytes') * SECONDS_A_DAY * HISTORY_DAYS) / 1e12],
    ['new vectors a day, millions', ((of('chunk vectors') + of('image vectors')) * SECONDS_A_DAY) / MILLION],
    ['memory of these in Qdrant, GB', (vectorBytes(costs) * SECONDS_A_DAY) / 1e9],
  ];
}

const millionRows: readonly [name: string, of: (costs: Costs) => number][] = [
  ['core-hours, fully used', (costs) => ((costs[TOTAL] ?? 0) * MILLION) / MS_A_CORE_HOUR],
  ['core-hours at 60 %', (costs) => ((costs[TOTAL] ?? 0) * MILLION) / MS_A_CORE_HOUR / UTILISATION],
  ['objects, GB', (costs) => ((costs['object bytes'] ?? 0) * MILLION) / 1e9],
  ['PUT, thousands', (costs) => ((costs['requests PUT'] ?? 0) * MILLION) / 1000],
  [
    'GET and HEAD, thousands',
    (costs) => (((costs['requests GET'] ?? 0) + (costs['requests HEAD'] ?? 0)) * MILLION) / 1000,
  ],
  ['Postgres, GB', (costs) => ((costs['database bytes'] ?? 0) * MILLION) / 1e9],
  ['histories, GB', (costs) => ((costs['history bytes'] ?? 0) * MILLION) / 1e9],
  ['vectors in memory, GB', (costs) => (vectorBytes(costs) * MILLION) / 1e9],
];

/** CPU milliseconds of a process with its child processes. */
function cpuOf(costs: Costs, process: string): number {
  return Object.entries(costs)
    .filter(([name]) => name === `cpu ${process}` || name.startsWith(`cpu ${process} `))
    .reduce((total, [, ms]) => total + ms, 0);
}

/** An image has one vector besides those of its text. */
function withVectors(title: string, costs: Costs): Costs {
  return title.startsWith('image') ? { ...costs, 'image vectors': 1 } : costs;
}

function vectorBytes(costs: Costs): number {
  const dimensions =
    (costs['chunk vectors'] ?? 0) * LOCAL_TEXT_MODEL.dimension +
    (costs['image vectors'] ?? 0) * LOCAL_IMAGE_MODEL.dimension;
  return dimensions * VECTOR_OVERHEAD;
}

function scale(costs: Costs, share: number): Costs {
  return Object.fromEntries(Object.entries(costs).map(([name, value]) => [name, value * share]));
}

function sum(all: readonly Costs[]): Costs {
  const names = new Set(all.flatMap((costs) => Object.keys(costs)));
  return Object.fromEntries(
    [...names].map((name) => [name, all.reduce((total, costs) => total + (costs[name] ?? 0), 0)]),
  );
}

function plural(title: string): string {
  return title.replace(/^(image|page)\b|page$/, '$&s');
}

/** Three digits. */
function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
