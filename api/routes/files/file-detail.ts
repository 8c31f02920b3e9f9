import type { EntityManager } from '@mikro-orm/postgresql';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readFileProgress } from '../../../services/processing/read-file-progress.ts';
import type { ApiDeps } from '../../deps.ts';
import { presentImage } from './present.ts';

/** One file with everything that is known of it, and where its work stands now. */
export async function fileDetail(
  { em, deps }: { em: EntityManager; deps: Pick<ApiDeps, 'engine' | 'objects'> },
  file: StoredFile,
) {
  const progress = await readFileProgress({ em, engine: deps.engine }, file);
  const variants = await em.find(FileVariant, { fileId: file.id });
  const details = await em.findOne(ImageDetails, { fileId: file.id });
  const descriptions = await em.find(
    FileDescription,
    { fileId: file.id },
    { orderBy: { generation: 'asc' } },
  );
  return presentImage(deps.objects, file, progress, { details, variants, descriptions });
}
