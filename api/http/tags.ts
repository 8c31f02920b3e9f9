/** The groups of operations in the OpenAPI document, in the order of a first day, with their descriptions. */
export const TAGS = {
  'API keys': 'Keys for programs: create, narrow, revoke',
  Uploads: 'Files streamed through this API, one or several per request',
  Links: 'Web pages by URL, one or several per request',
  Files: 'List, search, read and edit files',
  Processing: 'Status and history of the processing of a file, and retries',
  Reprocessing: 'Many files processed again: by a filter, with an estimate, pauses and a way back',
  Images: 'Description, tags and visible text of one image in one request',
  Documents: 'Text, structure and chunks of documents, and search in them',
  Extraction: 'Data from images and documents by your own JSON Schema; saved schemas',
  Similarity: 'Images that look alike',
  Exports: 'Files and descriptions exported as files',
  'Upload sessions': 'The files of one batch: status, results, control and live channels',
  'Direct uploads': 'Files uploaded directly to the object store',
  Imports: 'Files fetched from a bucket: progress, pause, resume, retry',
  Folders: 'Folders and projects for files',
  Webhooks: 'Events delivered to your URLs, signed according to Standard Webhooks 1.0',
  Trash: 'Delete and restore files, and receipts of permanently removed ones',
  Connections: 'Accounts at providers, as targets of exports, and buckets, as sources of imports',
  Account: 'Quota of the account for this month',
  Usage: 'What was requested, done and used: requests, operations, credits, tokens',
  Authentication: 'Register, log in, and act in one of your tenants',
  'User settings': 'Profile, password, email address and sessions of the user who is logged in',
  Tenant: 'Settings, limits, members and audit log of the account',
  Legacy: 'Operations of older clients; each names the one that replaces it',
} as const;

export type Tag = keyof typeof TAGS;
