import { cellMatches, characterErrors, f1, headingMatches, type Matches, readingOrder } from './metrics.ts';
import { textOfTruth, type Extraction, type Group, type QualityDocument } from './truth.ts';

/** Counts of one document, which can be summed over documents. */
export interface Score {
  document: string;
  group: Group;
  errors: number;
  characters: number;
  headings: Matches;
  levels: number;
  cells: Matches;
  agreed: number;
  pairs: number;
}

export interface Summary {
  documents: number;
  errorRate: number;
  headingF1: number;
  levels: number;
  cellF1: number;
  tau: number;
}

const NOTHING: Extraction = { text: '', headings: [], tables: [] };

export function scoreDocument(
  { name, group, truth }: QualityDocument,
  extraction: Extraction = NOTHING,
): Score {
  const { levels, ...headings } = headingMatches(truth, extraction);
  return {
    document: name,
    group,
    ...characterErrors(textOfTruth(truth), extraction.text),
    headings,
    levels,
    cells: cellMatches(truth, extraction),
    ...readingOrder(truth, extraction.text),
  };
}

export function summarise(scores: readonly Score[]): Summary {
  const sum = (of: (score: Score) => number): number => scores.reduce((total, score) => total + of(score), 0);
  const add = (of: (score: Score) => Matches): Matches => ({
    matched: sum((score) => of(score).matched),
    expected: sum((score) => of(score).expected),
    found: sum((score) => of(score).found),
  });
  const headings = add((score) => score.headings);
  return {
    documents: scores.length,
    errorRate:
      sum(({ errors }) => errors) /
      Math.max(
        1,
        sum(({ characters }) => characters),
      ),
    headingF1: f1(headings),
    levels: headings.matched === 0 ? 0 : sum(({ levels }) => levels) / headings.matched,
    cellF1: f1(add((score) => score.cells)),
    tau: sum(({ pairs }) => pairs) === 0 ? 0 : sum(({ agreed }) => agreed) / sum(({ pairs }) => pairs),
  };
}
