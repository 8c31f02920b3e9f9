/** The step of files that were uploaded with a saved schema: the extraction by it. Of other files it is no step. */
export const EXTRACT_SCHEMA = {
  activity: 'extractSchema',
  title: 'Schema extraction',
  summary: 'Data by the saved schema',
  work: 'child',
} as const;
