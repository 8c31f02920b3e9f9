/** A file of the folder as the walk found it. */
export interface LocalFile {
  /** Relative to the folder, with `/`: the path shown to the user. */
  path: string;
  absolute: string;
  sizeBytes: number;
  mtimeMs: number;
}

export interface HashedFile extends LocalFile {
  /** Lower-case hex. */
  sha256: string;
}

/** The phase in which a file failed, and why. */
export interface Failure {
  where: string;
  code: string;
  message: string;
}
