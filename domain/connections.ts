/** Providers of accounts that a tenant can connect: spreadsheets, as targets of exports, and buckets, as sources of imports. */
export const CONNECTION_PROVIDERS = ['google_sheets', 's3'] as const;
export type ConnectionProvider = (typeof CONNECTION_PROVIDERS)[number];

/** Where a bucket is. */
export interface BucketAddress {
  endpoint: string;
  region: string;
  bucketName: string;
}
