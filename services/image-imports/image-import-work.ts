import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { defineWork } from '../shared/define-work.ts';
import { failImageImport } from './end-image-import.ts';
import { IMAGE_IMPORT_WORKFLOWS } from '../../temporal/contract/import-image.ts';

export const imageImportWork = defineWork({
  noun: 'image import',
  entity: ImageImport,
  workflow: IMAGE_IMPORT_WORKFLOWS,
  openStatuses: ['pending'],
  input: ({ id, tenantId }) => ({ fileId: id, tenantId }),
  logged: ({ id }) => ({ file_id: id }),
  fail: (em, { id, tenantId }, reason) => failImageImport(em, { fileId: id, tenantId }, reason),
});
