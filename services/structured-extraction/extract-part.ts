import type { EntityManager } from '@mikro-orm/postgresql';
import { extractSchemaV1 } from '../../adapters/models/prompts.ts';
import { isFinal, ModelError } from '../../adapters/models/model-error.ts';
import type { PagesInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { ExtractionPart } from '../../db/entities/structured-extraction/extraction-part.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { LEVEL_RULES } from '../../domain/structured-extraction/extraction.ts';
import { windowSchema, windowsOf } from '../../domain/structured-extraction/windows.ts';
import type { ExtractionPartTarget, ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { mediumOf } from '../media/medium.ts';
import { storePaidAnswer, type PaidAttempt, tenantModel } from '../processing/record-step.ts';
import { storable } from '../shared/sql.ts';
import { objectOf, findExtractedFile, findExtractionTarget } from './extraction-target.ts';

export interface ExtractPartDeps {
  em: EntityManager;
  objects: ObjectStore;
  models: Pick<VisionModels, 'forTenant'>;
  /** The provider on whose queue the call waited. */
  provider: string;
}

/**
 * Requests one part of an extraction from the model, once: an existing answer is not paid for again.
 *
 * @throws ExtractionOver, ContentMissing, TextOverBudget, and the errors of the model
 */
export async function extractPart(
  { em, objects, models, provider }: ExtractPartDeps,
  { part, ...target }: ExtractionPartTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const extraction = await findExtractionTarget(em, target);
  const { extractionId, tenantId } = target;
  if ((await em.count(ExtractionPart, { extractionId, part })) > 0) return;
  const model = await tenantModel(em, tenantId, { models, provider });
  const { input, isWhole } = await inputOf({ em, objects }, extraction, part);
  const { schema, level, prompt } = extraction;
  const { version, instructions } = extractSchemaV1;
  const request = {
    name: 'extracted_data',
    schema: isWhole ? schema : windowSchema(schema),
    instructions,
    promptVersion: version,
    maxOutputTokens: LEVEL_RULES[level].maxOutputTokens,
    ...(prompt && { prompt }),
  };
  await storePaidAnswer(
    attempt,
    () =>
      model.extract(input, request, { tenantId, signal: attempt.signal }).catch(async (error: unknown) => {
        if (error instanceof ModelError && error.usage && isFinal(error)) {
          await noteCost(em, target, { model, promptVersion: version, usage: error.usage });
        }
        throw error;
      }),
    async ({ data, usage, confidence, promptVersion }) =>
      void (await em.upsert(
        ExtractionPart,
        {
          extractionId,
          part,
          data: storable(data) as Record<string, unknown>,
          confidence,
          provider: model.provider,
          model: model.model,
          promptVersion,
          ...usage,
          createdAt: new Date(),
        },
        { onConflictAction: 'ignore' },
      )),
  );
}

/** Records the cost of a call that yields no answer. */
async function noteCost(
  em: EntityManager,
  { extractionId, tenantId }: ExtractionTarget,
  {
    model: { provider, model },
    promptVersion,
    usage,
  }: { model: VisionModel; promptVersion: string; usage: TokenUsage },
): Promise<void> {
  await em
    .nativeUpdate(
      SchemaExtraction,
      { id: extractionId, tenantId, status: 'processing' },
      { provider, model, promptVersion, usage },
    )
    // A retry for the sake of this record would pay again.
    .catch(() => undefined);
}

/** The model's input: an image with its text, or a window of pages. */
async function inputOf(
  { em, objects }: Pick<ExtractPartDeps, 'em' | 'objects'>,
  extraction: SchemaExtraction,
  part: number,
): Promise<{ input: PagesInput; isWhole: boolean }> {
  const file = await findExtractedFile(em, extraction);
  const filename = file?.filename ?? 'image';
  const read = file && (await mediumOf(file).extraction?.readPages?.(em, file.id));
  if (read) {
    const windows = windowsOf(read);
    const pages = windows[part];
    if (!pages) throw new Error(`the document has no part ${part}`);
    return { input: { filename, pages }, isWhole: windows.length === 1 };
  }
  const key = objectOf(extraction, 'image');
  return {
    input: {
      filename,
      pages: extraction.readPage ? [extraction.readPage] : [],
      ...(key !== undefined && {
        image: async () => ({
          bytes: await objects.read(key, { maxBytes: MAX_STREAMED_BYTES }),
          contentType: await contentTypeOf(objects, key),
        }),
      }),
    },
    isWhole: true,
  };
}

async function contentTypeOf(objects: ObjectStore, key: string): Promise<string> {
  return (await objects.stat(key))?.contentType ?? 'image/jpeg';
}
