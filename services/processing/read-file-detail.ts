import type { EntityManager } from '@mikro-orm/postgresql';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { findVariants } from '../files/find-variants.ts';
import { observeFile, type FileObservation } from './observe-file.ts';

/** One file with everything that is known of it, and where its work stands now. */
export interface FileDetail {
  file: StoredFile;
  progress: FileObservation;
  variants: FileVariant[];
  /** Oldest first. */
  descriptions: FileDescription[];
}

/** Reads what is known of a file beside its row. */
export async function readFileDetail(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
): Promise<FileDetail> {
  const progress = await observeFile({ em, engine }, file);
  const variants = await findVariants(em, [file]);
  const descriptions = await em.find(
    FileDescription,
    { fileId: file.id },
    { orderBy: { generation: 'asc' } },
  );
  return { file, progress, variants, descriptions };
}
