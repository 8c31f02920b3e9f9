import { byKind, LOOKED_AT, type Retrieval, retrievalOf } from './answers.ts';
import { KINDS } from './manuals.ts';
import type { Ranked, SearchResult } from './measure-retrieval.ts';

/** Missed questions that are listed. */
const MOST_MISSED = 60;
const WIDTH = 24;

/**
 * Tables of all searches: in total and by kind of question, and by manual.
 *
 * @param isListed whether the questions follow that the first search did not answer, those first that another one did
 */
export function reportRetrieval(results: readonly SearchResult[], isListed: boolean): string {
  const [own] = results;
  if (!own) return '';
  const kinds = KINDS.filter((kind) => own.ranked.some((each) => each.kind === kind));
  const manuals = [...new Set(own.ranked.map(({ manual }) => manual))];
  const asked = (name: string, count: number): string => `${name} (${count})`;
  return [
    `Retrieval: R@1 / R@5 / MRR of ${own.ranked.length} questions; a hit is one of the first ${LOOKED_AT}`,
    line('', ['passages', 'all', ...kinds.map((kind) => asked(kind, countOf(own.ranked, 'kind', kind)))]),
    ...results.map(({ search, passages, ranked }) => {
      const kindScores = byKind(ranked);
      const scores = [
        retrievalOf(ranked.map(({ rank }) => rank)),
        ...kinds.map((kind) => kindScores.get(kind)),
      ];
      return line(search, [String(passages), ...scores.map((score) => (score ? figures(score) : '–'))]);
    }),
    '',
    line(
      'R@5 by manual',
      manuals.map((manual) => asked(manual, countOf(own.ranked, 'manual', manual))),
    ),
    ...results.map(({ search, ranked }) =>
      line(
        search,
        manuals.map((manual) =>
          share(retrievalOf(ranked.flatMap((each) => (each.manual === manual ? [each.rank] : []))).firstFive),
        ),
      ),
    ),
    '',
    ...(isListed ? missed(results) : []),
  ].join('\n');
}

function missed([own, ...others]: readonly SearchResult[]): string[] {
  const lost = (own?.ranked ?? []).flatMap((question, at) => {
    if (question.rank >= 1 && question.rank <= 5) return [];
    const ranks = others.map(({ ranked }) => ranked[at]?.rank ?? 0);
    const best = Math.min(...ranks.map((rank) => (rank === 0 ? Infinity : rank)));
    return [{ question, ranks, best }];
  });
  const lines = lost
    .toSorted((a, b) => a.best - b.best)
    .slice(0, MOST_MISSED)
    .map(({ question: { manual, kind, question, rank }, ranks }) => {
      const places = [rank, ...ranks].map((place) => (place === 0 ? '-' : String(place))).join(' ');
      return `  ${places.padEnd(12)}${manual}, ${kind}: ${question}`;
    });
  return [`Not among the first five: ${lost.length}; ranks by each search, in the order above`, ...lines];
}

const countOf = (ranked: readonly Ranked[], key: 'kind' | 'manual', value: string): number =>
  ranked.filter((each) => each[key] === value).length;

const share = (value: number): string => value.toFixed(2).replace('0.', '.');

const figures = ({ first, firstFive, meanReciprocalRank }: Retrieval): string =>
  `${share(first)} ${share(firstFive)} ${meanReciprocalRank.toFixed(3).replace('0.', '.')}`;

const line = (name: string, cells: readonly string[]): string =>
  [name.padEnd(WIDTH), ...cells.map((cell) => cell.padStart(Math.max(16, cell.length + 2)))].join('');
