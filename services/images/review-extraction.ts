import type { EntityManager } from '@mikro-orm/postgresql';
import { CategoryExtraction } from '../../db/entities/extractions/category-extraction.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import {
  countCorrections,
  layer,
  mergeCorrections,
  unknownPaths,
  type CorrectionPlace,
  type GivenCorrections,
  sameJson,
} from '../../domain/extractions/corrections.ts';
import { isReviewDomain, REVIEW_DOMAINS, type ReviewDomain } from '../../domain/extractions/domains.ts';
import { MAX_CORRECTIONS } from '../../domain/limits.ts';
import { RESULT_SCHEMAS } from '../../domain/schemas/extractions/index.ts';
import { lockFile } from '../files/find-file.ts';
import { findExtractions, rejectOtherMedia } from './find-extractions.ts';

/** The corrections of an extraction after a review. */
export interface Reviewed {
  category: ReviewDomain;
  corrections: GivenCorrections;
  updatedAt: Date;
}

/**
 * Adds the corrections of a review to those of earlier ones; the extraction itself is unchanged. The file is locked
 * meanwhile, so that no concurrent review is lost.
 *
 * @param category by its name in the API
 * @throws AppError WRONG_MEDIA_TYPE, INVALID_DOMAIN, NOT_FOUND, INVALID_CORRECTION for an unknown path, for a value
 *   that does not fit there, and for too many corrections
 */
export async function reviewExtraction(
  em: EntityManager,
  file: StoredFile,
  category: string,
  given: GivenCorrections,
): Promise<Reviewed> {
  rejectOtherMedia(file);
  if (!isReviewDomain(category)) {
    throw new AppError('INVALID_DOMAIN', `no such domain; use one of ${REVIEW_DOMAINS.join(', ')}`);
  }
  return em.transactional(async (tx) => {
    const locked = await lockFile(tx, file.tenantId, file.id);
    if (!locked || locked.deletedAt) throw notFound('file');
    const extraction = (await findExtractions(tx, locked)).find((each) => each.category === category);
    if (!extraction) throw notFound('extraction');
    const { result: original, provider, model, promptVersion, extractedAt, status } = extraction;

    const unknown = unknownPaths(original, given);
    if (unknown.length > 0) throw invalid(unknown, 'leads to nothing in the extraction');
    const stored = await tx.findOne(CategoryExtraction, { fileId: locked.id, category });
    const corrections = mergeCorrections(stored?.corrections, given, original);
    if (countCorrections(corrections) > MAX_CORRECTIONS) {
      throw new AppError('INVALID_CORRECTION', `an extraction takes at most ${MAX_CORRECTIONS} corrections`);
    }
    const { corrected, current } = layer(original, corrections);
    const problem = findProblem(category, corrected);
    if (problem) throw invalid([{ kind: 'fieldEdits', path: problem.path }], problem.message);

    const updatedAt = new Date();
    await tx.upsert(
      CategoryExtraction,
      {
        fileId: locked.id,
        category,
        generation: locked.generation,
        status,
        reason: null,
        result: null,
        provider,
        model,
        promptVersion,
        extractedAt,
        corrections,
        correctedAt: updatedAt,
      },
      { onConflictFields: ['fileId', 'category'], onConflictMergeFields: ['corrections', 'correctedAt'] },
    );
    return { category, corrections: current, updatedAt };
  });
}

/** Where a corrected result no longer fits its category. */
function findProblem(
  category: ReviewDomain,
  corrected: unknown,
): { path: string; message: string } | undefined {
  const { data, error } = RESULT_SCHEMAS[category].safeParse(corrected);
  const [issue] = error?.issues ?? [];
  if (issue) return { path: issue.path.join('.'), message: issue.message };
  // Parsing drops fields that are not in the schema.
  return sameJson(data, corrected) ? undefined : { path: '', message: 'has unknown fields' };
}

const MAX_NAMED = 20;
const FIELD_OF = { itemReviews: 'item_reviews', fieldEdits: 'field_edits' } as const;

function invalid(places: readonly CorrectionPlace[], message: string): AppError {
  const named = places.slice(0, MAX_NAMED);
  const paths = named.map(({ path }) => path).join(', ');
  return new AppError('INVALID_CORRECTION', `${paths.slice(0, 400)}: ${message}`, {
    errors: named.map(({ kind, path }) => ({ pointer: `/body/${FIELD_OF[kind]}/${path}`, message })),
    errorCount: places.length,
  });
}
