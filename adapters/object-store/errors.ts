/** There is no object at this key. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

/** The object is larger than the reader can take. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}

/** The store did not answer, or answered that it cannot work now. Trying again later may help. */
export class ObjectStoreUnavailable extends Error {
  override readonly name = 'ObjectStoreUnavailable';
}

const ABSENT = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);
/** Answers of an S3 store that mean "no" and not "not now". */
const REFUSALS = new Set([
  'AccessDenied',
  'SignatureDoesNotMatch',
  'InvalidAccessKeyId',
  'NoSuchBucket',
  'InvalidPart',
]);

/** Any failure of a call to the store as one of the errors above; a refusal stays what it is. */
export function storeError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && ABSENT.has(code))
    return new ObjectNotFound('no such object', { cause: error });
  if (typeof code === 'string' && REFUSALS.has(code)) return error;
  if (
    error instanceof ObjectStoreUnavailable ||
    error instanceof ObjectTooLarge ||
    error instanceof ObjectNotFound
  )
    return error;
  return new ObjectStoreUnavailable('the object store did not answer as it should', { cause: error });
}
