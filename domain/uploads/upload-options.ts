/** Processing options of an upload; stored with the file so that a retry uses the same. */
export interface UploadOptions {
  autoDescribe: boolean;
  skipDuplicates: boolean;
  /** What to check the picture for, once compliance checks exist. */
  compliance?: { type: 'mls' | 'marketplace'; standard: string; imageType: 'main' | 'secondary' };
}
