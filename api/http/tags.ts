/** The groups of operations in the OpenAPI document, in its order, with their descriptions. */
export const TAGS = {
  Files: 'Finding files, reading them, and changing what people say of them',
  Uploads: 'Files streamed through this API, one or many in a request',
  'Direct uploads': 'Files put straight into the object store',
  'Upload sessions': 'The files of one batch together: where they stand, and how to stop them',
  Processing: 'Where the work on a file stands, why, and how to have it done again',
  Similarity: 'Images that look alike',
  Trash: 'Deleting files, bringing them back, and receipts of what is gone',
  Account: 'What an account may still do this month',
  Legacy: 'Older names of the operations above',
} as const;

export type Tag = keyof typeof TAGS;
