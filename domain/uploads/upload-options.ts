import type { ComplianceRequest } from '../compliance/compliance.ts';

/** Processing options of an upload; stored with the file so that a retry uses the same. */
export interface UploadOptions {
  autoDescribe: boolean;
  skipDuplicates: boolean;
  /** Uploaded with a request for analysis, as which its description is accounted. */
  analysis?: true;
  /** The standards to check an image against. */
  compliance?: ComplianceRequest;
  /** The saved extraction schema to apply. */
  customSchemaId?: string;
}
