import type { ContentCategory, RequestedCategory } from '../../../domain/content-categories.ts';
import type { Destination } from '../../../services/files/folders/resolve-destination.ts';
import type { UploadAttributes } from '../../../services/uploads/ingest-file.ts';
import type { BatchForm, UploadForm } from './schema.ts';

type UploadFields<C> = Omit<
  BatchForm & Pick<Partial<UploadForm>, 'title'>,
  | 'storage_target'
  | 'folder_id'
  | 'project_id'
  | 'custom_schema_id'
  | 'content_category'
  | 'webhook_url'
  | 'webhook_secret'
> & { content_category?: C | undefined };

/**
 * The attributes and options of a file, for every upload method.
 *
 * @param schemaId the saved schema that the upload names, by default that of the project
 */
export function toUploadAttributes<C extends RequestedCategory>(
  fields: UploadFields<C>,
  destination: Destination,
  schemaId?: string,
): UploadAttributes & { contentCategory: C | ContentCategory } {
  const customSchemaId = schemaId ?? destination.schemaId;
  return {
    title: fields.title || null,
    tags: fields.tags,
    contentCategory: fields.content_category ?? destination.contentCategory,
    folderId: destination.folderId,
    options: {
      autoDescribe: fields.auto_describe,
      skipDuplicates: fields.skip_duplicates,
      ...(customSchemaId && { customSchemaId }),
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
