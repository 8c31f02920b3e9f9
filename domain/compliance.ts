/** State of a file's compliance check. */
export const COMPLIANCE_STATUSES = ['not_checked', 'passed', 'failed', 'error'] as const;
export type ComplianceStatus = (typeof COMPLIANCE_STATUSES)[number];
