import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ProcessedMedia } from '../../domain/pipelines/index.ts';
import { documentPresenter } from './document/document-presenter.ts';
import type { OwnItemFields } from './file/present.ts';
import { imagePresenter } from './image.ts';
import { linkPresenter } from './link/link-presenter.ts';
import type { MediumPresenter, PresenterDeps } from './medium-presenter.ts';
import { videoPresenter } from './video.ts';

/** A medium that has a pipeline but is missing here is a compile error. */
const PRESENTERS: Readonly<Record<ProcessedMedia, MediumPresenter>> = {
  image: imagePresenter,
  document: documentPresenter,
  link: linkPresenter,
  video: videoPresenter,
};

const registered = new Map<string, MediumPresenter>(Object.entries(PRESENTERS));

/** Adds the presenter of a further medium, for tests. */
export function registerPresenter(mediaType: string, presenter: MediumPresenter): void {
  registered.set(mediaType, presenter);
}

/** @throws Error for a medium without a pipeline, of which no files exist */
export function presenterOf({ mediaType }: Pick<StoredFile, 'mediaType'>): MediumPresenter {
  const presenter = registered.get(mediaType);
  if (!presenter) throw new Error(`files of type ${mediaType} have no presenter`);
  return presenter;
}

/** The fields of list items that depend on their medium, by file id. */
export async function presentOwnFields(
  deps: PresenterDeps,
  files: readonly StoredFile[],
): Promise<Map<string, OwnItemFields>> {
  const all = new Map<string, OwnItemFields>();
  for (const group of Map.groupBy(files, ({ mediaType }) => mediaType).values()) {
    const [first] = group;
    const items = first && (await presenterOf(first).listItems(deps, group));
    for (const [id, fields] of items ?? []) all.set(id, fields);
  }
  return all;
}
