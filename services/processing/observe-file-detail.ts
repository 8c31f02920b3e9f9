import type { EntityManager } from '@mikro-orm/postgresql';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { findVariants } from '../files/find-variants.ts';
import { observeFile, type FileObservation } from './observe-file.ts';

/** A file with all its details and current progress. */
export interface FileDetail {
  file: StoredFile;
  progress: FileObservation;
  /** Null until the image has been decoded. */
  details: ImageDetails | null;
  variants: FileVariant[];
  /** Oldest first. */
  descriptions: FileDescription[];
}

/** Observes a file (observe-file.ts) and reads its details. */
export async function observeFileDetail(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
): Promise<FileDetail> {
  const progress = await observeFile({ em, engine }, file);
  const details = await em.findOne(ImageDetails, { fileId: file.id });
  const variants = await findVariants(em, [file]);
  const descriptions = await em.find(
    FileDescription,
    { fileId: file.id },
    { orderBy: { generation: 'asc' } },
  );
  return { file, progress, details, variants, descriptions };
}
