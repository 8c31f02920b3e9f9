/** What a client asked for beside the bytes; kept with the file so that a retry does the same again. */
export interface UploadOptions {
  autoDescribe: boolean;
  skipDuplicates: boolean;
  /** What the picture shall be checked for, once compliance checks run. */
  compliance?: { type: 'mls' | 'marketplace'; standard: string; imageType: 'main' | 'secondary' };
}
