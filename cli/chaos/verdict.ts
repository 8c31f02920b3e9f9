/** A file as its client knows it: stored, it was told. */
export interface Acknowledged {
  name: string;
  fileId: string;
  sha256: string;
}

export interface ListedFile {
  id: string;
  primaryStatus: string;
}

export interface Judged {
  /** Acknowledged and not there. */
  lost: string[];
  /** Stored more than once, or mixed up with another, or never asked for. */
  duplicated: string[];
  /** There, but not completed: every file of a run is a good one. */
  unfinished: string[];
  /** Never acknowledged, however often it was sent. */
  undelivered: string[];
}

/**
 * What a client may say of the service after a run.
 *
 * @param names        of all files that were to be stored
 * @param acknowledged those that were, by word of the service
 * @param listed       what the account holds now; it held nothing before
 */
export function judge(
  names: readonly string[],
  acknowledged: readonly Acknowledged[],
  listed: readonly ListedFile[],
): Judged {
  const statuses = new Map(listed.map(({ id, primaryStatus }) => [id, primaryStatus]));
  const told = new Set(acknowledged.map(({ name }) => name));
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
      .map(({ id, primaryStatus }) => `${id} is ${primaryStatus}`),
    undelivered: names.filter((name) => !told.has(name)).map((name) => `${name} was never acknowledged`),
  };
}

export function breachesOf(judged: Judged): string[] {
  return [...judged.lost, ...judged.duplicated, ...judged.unfinished, ...judged.undelivered];
}

function list(files: Acknowledged[], key: keyof Acknowledged): string {
  return [...new Set(files.map((file) => file[key]))].join(', ');
}
