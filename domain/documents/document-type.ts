/** Document types of the contract. */
export const DOCUMENT_TYPES = ['pdf', 'docx', 'txt', 'md'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
