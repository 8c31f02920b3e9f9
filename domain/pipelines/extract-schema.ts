/** The extraction by the saved schema that a file was uploaded with. */
export const EXTRACT_SCHEMA = {
  activity: 'extractSchema',
  title: 'Schema extraction',
  summary: 'Data by the saved schema',
  work: 'child',
  requestedBy: 'schema',
} as const;
