import { KINDS, type Kind, type Question } from './manuals.ts';

/** Letters and digits in lower case: spaces, punctuation and the marks of tables differ between passages. */
export const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Whether a passage, already bare, contains one of the quotes that answer a question. */
export const answers = (passage: string, question: Question): boolean =>
  question.answers.some((answer) => passage.includes(bare(answer)));

/** Hits that are looked at: an answer further down does not count. */
export const LOOKED_AT = 10;

/** Where the first answer stands among the hits, from 1; 0 if not among those that are looked at. */
export function rankOf(hits: readonly boolean[]): number {
  return hits.slice(0, LOOKED_AT).indexOf(true) + 1;
}

/** Shares of the questions answered by the first hit and by one of the first five, and the mean reciprocal rank. */
export interface Retrieval {
  asked: number;
  first: number;
  firstFive: number;
  meanReciprocalRank: number;
}

/** Sums up the ranks of answers, 0 for none. */
export function retrievalOf(ranks: readonly number[]): Retrieval {
  const asked = ranks.length;
  const share = (sum: number): number => (asked === 0 ? 0 : sum / asked);
  return {
    asked,
    first: share(ranks.filter((rank) => rank === 1).length),
    firstFive: share(ranks.filter((rank) => rank >= 1 && rank <= 5).length),
    meanReciprocalRank: share(ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0)),
  };
}

/** Retrieval of the questions of each kind that has any. */
export function byKind(ranked: readonly { kind: Kind; rank: number }[]): Map<Kind, Retrieval> {
  const asked = KINDS.filter((kind) => ranked.some((each) => each.kind === kind));
  return new Map(
    asked.map((kind) => [
      kind,
      retrievalOf(ranked.filter((each) => each.kind === kind).map(({ rank }) => rank)),
    ]),
  );
}
