import { creditsFor, creditsForMorePages, extractionCharges } from '../../domain/accounts/credits.ts';
import { totalCredits } from '../../domain/operations.ts';
import { piecesOf, type ChaosPlan, type Kind } from './plan.ts';

/** A file that the API acknowledged as stored. */
export interface Acknowledged {
  name: string;
  fileId: string;
  sha256: string;
}

export interface ListedFile {
  id: string;
  primaryStatus: string;
  /** The reason why the file is not completed, if known. */
  explanation?: string;
}

export interface Findings {
  /** Acknowledged, but missing. */
  lost: string[];
  /** Stored more than once, confused with another file, or never uploaded. */
  duplicated: string[];
  /** Stored, but not completed; every file of a run is valid. */
  unfinished: string[];
  /** Never acknowledged, despite retries. */
  undelivered: string[];
}

/**
 * Checks the result of a run from a client's point of view.
 *
 * @param names  names of all files of the plan
 * @param listed all files of the account, which was empty before the run
 */
export function findProblems(
  names: readonly string[],
  acknowledged: readonly Acknowledged[],
  listed: readonly ListedFile[],
): Findings {
  const statuses = new Map(listed.map(({ id, primaryStatus }) => [id, primaryStatus]));
  const acknowledgedNames = new Set(acknowledged.map(({ name }) => name));
  const ids = Map.groupBy(acknowledged, ({ sha256 }) => sha256);
  const contents = Map.groupBy(acknowledged, ({ fileId }) => fileId);
  const several = (files: Acknowledged[], by: keyof Acknowledged) =>
    new Set(files.map((file) => file[by])).size > 1;
  return {
    lost: acknowledged
      .filter(({ fileId }) => !statuses.has(fileId))
      .map(({ name, fileId }) => `${name} was acknowledged as ${fileId}, which does not exist`),
    duplicated: [
      ...[...ids.values()]
        .filter((files) => several(files, 'fileId'))
        .map(
          (files) =>
            `${list(files, 'name')} have the same content and different ids: ${list(files, 'fileId')}`,
        ),
      ...[...contents.values()]
        .filter((files) => several(files, 'sha256'))
        .map(
          (files) =>
            `${list(files, 'name')} have different contents and the same id: ${list(files, 'fileId')}`,
        ),
      ...listed
        .filter(({ id }) => !contents.has(id))
        .map(({ id }) => `${id} exists, but no client uploaded it`),
    ],
    unfinished: listed
      .filter(({ primaryStatus }) => primaryStatus !== 'completed')
      .map(({ id, primaryStatus, explanation = primaryStatus }) => `${id} is ${explanation}`),
    undelivered: names
      .filter((name) => !acknowledgedNames.has(name))
      .map((name) => `${name} was never acknowledged`),
  };
}

export function breachesOf({ lost, duplicated, unfinished, undelivered }: Findings): string[] {
  return [...lost, ...duplicated, ...unfinished, ...undelivered];
}

const MEDIA: Readonly<Partial<Record<Kind, string>>> = {
  png: 'image',
  jpg: 'image',
  link: 'link',
  video: 'video',
};

/**
 * The credits that the files of a plan cost, each content once, if all are completed.
 *
 * @param extractions number of completed extractions
 */
export function creditsOf({ deliveries }: ChaosPlan, extractions: number): number {
  const contents = new Map(deliveries.flatMap(piecesOf).map((piece) => [piece.content, piece]));
  let credits = extractions * totalCredits(extractionCharges('standard'));
  for (const { kind, pages } of contents.values()) {
    const medium = MEDIA[kind] ?? 'document';
    credits += creditsFor(medium) + (medium === 'document' ? creditsForMorePages(pages) : 0);
  }
  return credits;
}

function list(files: Acknowledged[], key: keyof Acknowledged): string {
  return [...new Set(files.map((file) => file[key]))].join(', ');
}
