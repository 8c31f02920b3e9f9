import type { BatchOptions } from '../../../services/uploads/batch/batch-intake.ts';
import type { UploadForm } from '../file/schema.ts';

type UploadOptionFields = Pick<
  UploadForm,
  | 'tags'
  | 'content_category'
  | 'auto_describe'
  | 'skip_duplicates'
  | 'compliance_type'
  | 'compliance_standard'
  | 'compliance_image_type'
>;

/** What a client wants of a file, whichever way its bytes come. */
export function toUploadOptions(fields: UploadOptionFields): BatchOptions {
  return {
    tags: fields.tags,
    contentCategory: fields.content_category,
    options: {
      autoDescribe: fields.auto_describe,
      skipDuplicates: fields.skip_duplicates,
      ...(fields.compliance_type && {
        compliance: {
          type: fields.compliance_type,
          standard: fields.compliance_standard ?? '',
          imageType: fields.compliance_image_type,
        },
      }),
    },
  };
}
