import { unit } from '../../domain/similarity.ts';
import {
  VectorIndexError,
  type VectorComparison,
  type VectorPoint,
  type VectorQuery,
} from './vector-index.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const MAX_LIMIT = 1000;

/**
 * The id in lower case. Ids end up inside filter expressions, so only UUIDs are accepted.
 *
 * @throws VectorIndexError `VECTOR_INVALID`
 */
export function checkId(id: string): string {
  const lower = id.toLowerCase();
  if (!UUID.test(lower)) throw invalid(`${JSON.stringify(id.slice(0, 80))} is not a UUID`);
  return lower;
}

/**
 * The points with ids in lower case and vectors of length 1, the last one per id: engines differ on duplicate ids in one
 * write.
 */
export function checkPoints(points: readonly VectorPoint[], dimension: number): VectorPoint[] {
  const checked = points.map((point) => {
    checkVector(point.vector, dimension);
    return {
      id: checkId(point.id),
      tenantId: checkId(point.tenantId),
      fileId: checkId(point.fileId),
      kind: point.kind,
      vector: unit(point.vector),
    };
  });
  return [...new Map(checked.map((point) => [point.id, point])).values()];
}

/** The query with its ids in lower case and a vector of length 1. */
export function checkQuery(query: VectorQuery, dimension: number): VectorQuery {
  checkVector(query.vector, dimension);
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > MAX_LIMIT) {
    throw invalid(`a search limit is 1–${MAX_LIMIT}, not ${query.limit}`);
  }
  const { fileIds, excludeFileId } = query.filter ?? {};
  return {
    vector: unit(query.vector),
    limit: query.limit,
    tenantId: checkId(query.tenantId),
    filter: {
      ...(fileIds && { fileIds: fileIds.map(checkId) }),
      ...(excludeFileId !== undefined && { excludeFileId: checkId(excludeFileId) }),
    },
  };
}

/** The comparison with its ids in lower case and a vector of length 1. */
export function checkComparison(target: VectorComparison, dimension: number): VectorComparison {
  checkVector(target.vector, dimension);
  return {
    tenantId: checkId(target.tenantId),
    fileIds: target.fileIds.map(checkId),
    ids: target.ids.map(checkId),
    vector: unit(target.vector),
  };
}

function checkVector(vector: readonly number[], dimension: number): void {
  if (vector.length !== dimension) {
    throw invalid(`a vector of ${vector.length} dimensions does not fit a collection of ${dimension}`);
  }
  if (!vector.every(Number.isFinite)) throw invalid('a vector holds a value that is not a finite number');
}

function invalid(message: string): VectorIndexError {
  return new VectorIndexError('VECTOR_INVALID', message);
}
