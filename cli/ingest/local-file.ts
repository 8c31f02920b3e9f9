/** A file of the folder as the walk saw it. */
export interface LocalFile {
  /** Below the folder, with `/`: what people are shown. */
  path: string;
  absolute: string;
  sizeBytes: number;
  mtimeMs: number;
}

export interface HashedFile extends LocalFile {
  /** Of its bytes, in lower-case hex. */
  sha256: string;
}

/** The phase in which a file failed, and why. */
export interface Failure {
  where: string;
  code: string;
  message: string;
}
