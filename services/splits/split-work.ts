import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { SPLIT_WORKFLOWS } from '../../temporal/contract/split-document.ts';
import { defineWork } from '../shared/define-work.ts';
import { endSplit } from './end-split.ts';

export const splitWork = defineWork({
  noun: 'split',
  entity: DocumentSplit,
  workflow: SPLIT_WORKFLOWS,
  openStatuses: ['processing'],
  input: ({ id, tenantId }) => ({ splitId: id, tenantId }),
  logged: ({ id, fileId }) => ({ split_id: id, file_id: fileId }),
  fail: (em, { id, tenantId }, error) => endSplit(em, { splitId: id, tenantId }, { status: 'failed', error }),
});
