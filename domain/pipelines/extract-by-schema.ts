/** The extraction by the saved schema that was named with the upload. */
export const EXTRACT_BY_SCHEMA = {
  activity: 'extractBySchema',
  title: 'Schema extraction',
  summary: 'Data by the saved schema',
  work: 'child',
  requestedBy: 'schema',
} as const;
