import type { ComplianceRequest } from '../compliance/compliance.ts';

/** Processing options of an upload; stored with the file so that a retry uses the same. */
export interface UploadOptions {
  autoDescribe: boolean;
  skipDuplicates: boolean;
  /** It came with a request for its analysis, as which its description is accounted. */
  analysis?: true;
  /** What to check a picture for. */
  compliance?: ComplianceRequest;
  /** The saved extraction schema to apply. */
  customSchemaId?: string;
}
