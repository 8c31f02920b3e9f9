/** A failure of a folder or of a file in it, with a message that is safe to show. */
export class SourceFolderError extends Error {
  override readonly name = 'SourceFolderError';
  readonly code: 'SOURCE_DENIED' | 'SOURCE_GONE' | 'SOURCE_CHANGED' | 'SOURCE_UNAVAILABLE';

  constructor(code: SourceFolderError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENXIO'].includes(String(codeOf(error)));

export function toFolderError(error: unknown): SourceFolderError {
  if (error instanceof SourceFolderError) return error;
  const code = String(codeOf(error));
  if (isGone(error))
    return new SourceFolderError('SOURCE_GONE', 'it is no longer at the source', { cause: error });
  if (['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code)) {
    return new SourceFolderError('SOURCE_DENIED', 'the server may not read it', { cause: error });
  }
  return new SourceFolderError('SOURCE_UNAVAILABLE', `the file system of the server fails: ${code}`, {
    cause: error,
  });
}
