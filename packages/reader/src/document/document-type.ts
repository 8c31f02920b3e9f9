/** Document types: the four of the contract, and additions. */
export const DOCUMENT_TYPES = [
  'pdf',
  'docx',
  'txt',
  'md',
  'html',
  'csv',
  'xlsx',
  'pptx',
  'epub',
  'odt',
  'ods',
  'odp',
  'rtf',
  'eml',
  'msg',
  'tiff',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Whether the pages of a document look like something; those of others are made of its text. */
export const hasLayout = (type: DocumentType): boolean => type === 'pdf' || type === 'tiff';
