/** The groups of operations in the OpenAPI document, in its order, with their descriptions. Legacy operations are in the group of those that replace them. */
export const TAGS = {
  Files: 'List, read and edit files',
  Uploads: 'Files streamed through this API, one or several per request',
  'Direct uploads': 'Files uploaded directly to the object store',
  'Upload sessions': 'The files of one batch: status, results and control',
  Processing: 'Status and history of the processing of a file, and retries',
  Documents: 'Text, structure and chunks of documents, and search in them',
  Similarity: 'Images that look alike',
  Trash: 'Delete and restore files, and receipts of permanently removed ones',
  Account: 'Quota of the account for this month',
} as const;

export type Tag = keyof typeof TAGS;
