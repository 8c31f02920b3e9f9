/** Where the compliance check of a file stands. */
export const COMPLIANCE_STATUSES = ['not_checked', 'passed', 'failed', 'error'] as const;
export type ComplianceStatus = (typeof COMPLIANCE_STATUSES)[number];
