/** Where a request came from, for login sessions and the audit log. */
export interface Visit {
  ipAddress: string;
  userAgent: string;
}
