import type { EntityManager } from '@mikro-orm/postgresql';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { readProjectsOfFolders } from '../files/folders/read-folders.ts';
import type { FileObservation } from './observe-file.ts';
import { explanationOf } from './timeline-of.ts';

/** The details of a file that do not depend on its medium. */
export interface FileDetail {
  file: StoredFile;
  progress: FileObservation;
  /** The project of its folder. */
  projectId: string | null;
  /** One sentence: the state of the file and what it waits for. */
  explanation: string;
  /** The newest descriptions, oldest first. */
  descriptions: FileDescription[];
  /** The newest run's extraction by the saved schema of the upload. */
  schemaExtraction: SchemaExtraction | null;
}

/** The number of descriptions of a file is not limited. */
const NEWEST_DESCRIPTIONS = 100;

/** Reads the details of an observed file. */
export async function readFileDetail(em: EntityManager, progress: FileObservation): Promise<FileDetail> {
  const { file } = progress;
  const explanation = await explanationOf(em, progress);
  const newest = await em.find(
    FileDescription,
    { fileId: file.id },
    { orderBy: { generation: 'desc' }, limit: NEWEST_DESCRIPTIONS },
  );
  const schemaExtraction = file.options.customSchemaId
    ? await em.findOne(
        SchemaExtraction,
        { tenantId: file.tenantId, fileId: file.id, source: 'upload' },
        { orderBy: { generation: 'desc' } },
      )
    : null;
  const projects = await readProjectsOfFolders(em, file.tenantId, [file.folderId]);
  const projectId = projects.get(file.folderId ?? '') ?? null;
  return { file, progress, projectId, explanation, descriptions: newest.toReversed(), schemaExtraction };
}
