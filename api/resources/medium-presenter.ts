import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { FileObservation } from '../../services/processing/observe-file.ts';
import type { ComponentProgress } from '../../services/processing/processing-status-of.ts';
import type { FileDetail } from '../../services/processing/read-file-detail.ts';
import type { FileTimelineView } from '../../services/processing/timeline-of.ts';
import type { Streaming } from '../http/streamed.ts';
import type { OwnItemFields, Presigner } from './file/present.ts';
import type { fileDetail } from './file/schema.ts';
import type { jobAnswer } from './job/schema.ts';
import type { processingStatus } from './processing/schema.ts';

export interface PresenterDeps {
  em: EntityManager;
  objects: Presigner;
}

/** How the files of one medium are answered; the twin of its `Medium` in services. */
export interface MediumPresenter {
  /** By file id, the fields of list items that only this medium has: one statement for the page, not one a file. */
  listItems(deps: PresenterDeps, files: readonly StoredFile[]): Promise<Map<string, OwnItemFields>>;
  /** A file in full detail. */
  detail(
    deps: PresenterDeps,
    detail: FileDetail,
    query: { format?: 'markdown' | undefined },
  ): Promise<Streaming<z.input<typeof fileDetail>>>;
  /** Fields of the processing status besides the components. */
  processingStatus?(
    em: EntityManager,
    timeline: FileTimelineView,
    components: readonly ComponentProgress[],
  ): Promise<Partial<z.input<typeof processingStatus>>>;
  /** The work on a file as a job. */
  job(em: EntityManager, jobId: string, seen: FileObservation): Promise<Streaming<z.input<typeof jobAnswer>>>;
}
