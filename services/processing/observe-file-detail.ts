import type { EntityManager } from '@mikro-orm/postgresql';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { findVariants } from '../files/find-variants.ts';
import { observeFile, type FileObservation } from './observe-file.ts';

/** One file with everything that is known of it, and where its work stands now. */
export interface FileDetail {
  file: StoredFile;
  progress: FileObservation;
  /** Null until the picture has been decoded. */
  details: ImageDetails | null;
  variants: FileVariant[];
  /** Oldest first. */
  descriptions: FileDescription[];
}

/** Looks at a file (observe-file.ts) and reads what is known of it beside its row. */
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
