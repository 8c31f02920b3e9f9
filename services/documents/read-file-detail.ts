import type { EntityManager } from '@mikro-orm/postgresql';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { FileVariant } from '../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { findExtractions, type ExtractionView } from '../extractions/find-extractions.ts';
import { readProjectsOfFolders } from '../files/folders/read-folders.ts';
import { findVariants } from '../files/find-variants.ts';
import type { FileObservation } from '../processing/observe-file.ts';
import { explanationOf } from '../processing/timeline-of.ts';
import { readDocument, type DocumentView } from './read-document.ts';

/** A file with all its details and current progress. */
export interface FileDetail {
  file: StoredFile;
  progress: FileObservation;
  /** The project of its folder. */
  projectId: string | null;
  /** One sentence: where the file stands and what it waits for. */
  explanation: string;
  /** Null until the image has been decoded. */
  details: ImageDetails | null;
  /** Of a document. */
  document?: DocumentView;
  variants: FileVariant[];
  /** The newest, oldest first. */
  descriptions: FileDescription[];
  /** Of an image. */
  extractions: ExtractionView[];
  /** By the saved schema that it was uploaded with, of its newest run. */
  schemaExtraction: SchemaExtraction | null;
}

/** A file may be described again without end. */
const NEWEST_DESCRIPTIONS = 100;

/** Reads the details of an observed file. */
export async function readFileDetail(em: EntityManager, progress: FileObservation): Promise<FileDetail> {
  const { file } = progress;
  const explanation = await explanationOf(em, progress);
  const details = await em.findOne(ImageDetails, { fileId: file.id });
  const variants = await findVariants(em, [file]);
  const newest = await em.find(
    FileDescription,
    { fileId: file.id },
    { orderBy: { generation: 'desc' }, limit: NEWEST_DESCRIPTIONS },
  );
  const extractions = file.mediaType === 'image' ? await findExtractions(em, file, details) : [];
  const schemaExtraction = file.options.customSchemaId
    ? await em.findOne(
        SchemaExtraction,
        { tenantId: file.tenantId, fileId: file.id, source: 'upload' },
        { orderBy: { generation: 'desc' } },
      )
    : null;
  const document = file.mediaType === 'document' ? await readDocument(em, file) : undefined;
  const projects = await readProjectsOfFolders(em, file.tenantId, [file.folderId]);
  const projectId = projects.get(file.folderId ?? '') ?? null;
  return {
    file,
    progress,
    projectId,
    explanation,
    details,
    variants,
    descriptions: newest.toReversed(),
    extractions,
    schemaExtraction,
    ...(document && { document }),
  };
}
