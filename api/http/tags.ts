/** The groups of operations in the OpenAPI document, in its order, with their descriptions. Legacy operations are in the group of those that replace them. */
export const TAGS = {
  Files: 'List, read and edit files',
  Folders: 'Folders and projects that files are kept in',
  Uploads: 'Files streamed through this API, one or several per request',
  'Direct uploads': 'Files uploaded directly to the object store',
  'Upload sessions': 'The files of one batch: status, results and control',
  Processing: 'Status and history of the processing of a file, and retries',
  Images: 'Description, tags and visible text of one image in one request',
  Documents: 'Text, structure and chunks of documents, and search in them',
  Extraction: 'Data by a schema of yours, from images and documents; saved schemas',
  Exports: 'Files and descriptions exported as files',
  Connections: 'Accounts at providers that exports are written to',
  Webhooks: 'Events delivered to URLs of yours, signed as Standard Webhooks 1.0 has it',
  Similarity: 'Images that look alike',
  Trash: 'Delete and restore files, and receipts of permanently removed ones',
  Authentication: 'Register, log in, and act in one of your tenants',
  'User settings': 'Profile, password, email address and sessions of the user who is logged in',
  Account: 'Quota of the account for this month',
  Usage: 'What was requested, done and used: requests, operations, credits, tokens',
  'API keys': 'Keys for programs: create, narrow, revoke',
  Tenant: 'Settings, limits, members and audit log of the account',
} as const;

export type Tag = keyof typeof TAGS;
