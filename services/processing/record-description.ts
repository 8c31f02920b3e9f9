import type { VisionAnswer } from '../../adapters/models/vision/vision-answer.ts';
import type { VisionModel } from '../../adapters/models/vision/vision-model.ts';
import { FileDescription } from '../../db/entities/files/file-description.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ContentCategory } from '../../domain/content-categories.ts';
import { MAX_TAGS } from '../../domain/limits.ts';
import { recordFileOperation } from '../usage/record-operation.ts';
import type { StepResult } from './record-step.ts';

/** A description, and the calls that made it. */
export interface Description extends VisionAnswer, Pick<VisionModel, 'provider' | 'model'> {
  durationMs: number;
  /** Of an image that was given `auto`. */
  category?: ContentCategory;
}

/** What a description changes. */
export function describedBy(
  file: StoredFile,
  { description, tags, usage, provider, model, promptVersion, confidence, durationMs, category }: Description,
): StepResult {
  const { id: fileId, generation } = file;
  const describedAt = new Date();
  return {
    changes: (current) => ({
      ...(category && { contentCategory: category }),
      uploadDescription: description,
      describedAt,
      tags: [...new Set([...current.tags, ...tags])].slice(0, MAX_TAGS),
    }),
    async save(tx) {
      await tx.upsert(FileDescription, {
        fileId,
        generation,
        provider,
        model,
        promptVersion,
        description,
        tags,
        ...usage,
        confidence,
        createdAt: describedAt,
      });
      await recordFileOperation(tx, file, { operation: 'describe', provider, model, usage, durationMs });
    },
  };
}
