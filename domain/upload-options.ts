/** What a client asked for beside the bytes; kept with the file so that a retry does the same again. */
export interface UploadOptions {
  autoDescribe: boolean;
  skipDuplicates: boolean;
}
