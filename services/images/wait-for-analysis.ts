import type { EntityManager } from '@mikro-orm/postgresql';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { endOfAnalysis } from '../../domain/image-analysis.ts';
import type { Engine } from '../../temporal/client.ts';
import { findImageImport } from '../image-imports/find-image-import.ts';
import { imageImportWork } from '../image-imports/image-import-work.ts';
import { startIfDue } from '../processing/reconcile-file.ts';
import { pollUntil, type PollOptions } from '../shared/outage.ts';

/** An image to be analyzed: stored, a duplicate of a stored one, or still to be fetched. */
export type AcceptedImage = { file: StoredFile; skipped: boolean } | { fetched: ImageImport };

/** The results of an image with its description. */
export interface AnalyzedImage {
  file: StoredFile;
  details: ImageDetails;
  /** 0–1 as the model rates itself; null when it does not. */
  confidence: number | null;
}

/** `imageId` of an image that could not be fetched is the id of its job; there is no file with it. */
export type ImageAnalysis = { imageId: string } & (
  | { status: 'completed'; image: AnalyzedImage }
  | { status: 'failed'; error: string }
  | { status: 'processing' }
  | { status: 'skipped' }
);

/** The job of an accepted image, which is also the id of its file unless it is a duplicate. */
export function jobOf(image: AcceptedImage): string {
  return 'file' in image ? image.file.id : image.fetched.id;
}

/** Waits until the analysis of an image has ended, or the time is up. Starts it if that is still due. */
export async function waitForAnalysis(
  deps: { em: EntityManager; engine: Engine },
  image: AcceptedImage,
  wait: Pick<PollOptions, 'milliseconds' | 'signal'>,
): Promise<ImageAnalysis> {
  const { em } = deps;
  const ended = await pollUntil(
    () => ('file' in image ? analysisOf(em, image) : importOf(em, image.fetched)),
    { ...wait, startDue: () => startDue(deps, image) },
  );
  return ended ?? { imageId: jobOf(image), status: 'processing' };
}

async function startDue(deps: { em: EntityManager; engine: Engine }, image: AcceptedImage): Promise<void> {
  if ('file' in image) return startIfDue(deps, image.file);
  const { id, tenantId, status } = image.fetched;
  if (status !== 'completed') return imageImportWork.startIfDue(deps, image.fetched);
  const file = await deps.em.findOne(StoredFile, { id, tenantId });
  if (file) await startIfDue(deps, file);
}

async function importOf(
  em: EntityManager,
  { id: imageId, tenantId }: ImageImport,
): Promise<ImageAnalysis | undefined> {
  const { status, error, duplicateOf } = await findImageImport(em, { fileId: imageId, tenantId });
  if (status === 'failed') return { imageId, status, error: error?.message ?? 'the image was not fetched' };
  if (duplicateOf) return { imageId: duplicateOf, status: 'skipped' };
  if (status === 'pending') return undefined;
  const file = await em.findOneOrFail(StoredFile, { id: imageId, tenantId }, { refresh: true });
  return analysisOf(em, { file, skipped: false });
}

async function analysisOf(
  em: EntityManager,
  { file, skipped }: { file: StoredFile; skipped: boolean },
): Promise<ImageAnalysis | undefined> {
  const { id: imageId } = file;
  if (skipped) return { imageId, status: 'skipped' };
  await em.refreshOrFail(file);
  const { describedAt, confidence } = await readDescribed(em, file);
  const end = endOfAnalysis(file.components, describedAt);
  if (end?.status === 'failed') return { imageId, status: 'failed', error: end.reason.message };
  if (!end) return undefined;
  const details = await em.findOneOrFail(ImageDetails, { fileId: imageId }, { refresh: true });
  return { imageId, status: 'completed', image: { file, details, confidence } };
}

/** The newest description of a file. */
export interface Described {
  /** When the current run stored it; undefined when an earlier run did. */
  describedAt: Date | undefined;
  /** 0–1 as the model rates itself; null when it does not. */
  confidence: number | null;
}

export async function readDescribed(
  em: EntityManager,
  { id: fileId, generation, describedAt }: StoredFile,
): Promise<Described> {
  const [newest] = describedAt
    ? await em.find(FileDescription, { fileId }, { orderBy: { generation: 'desc' }, limit: 1, refresh: true })
    : [];
  return {
    describedAt: newest?.generation === generation ? newest.createdAt : undefined,
    confidence: newest?.confidence ?? null,
  };
}
