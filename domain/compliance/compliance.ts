/** State of a file's compliance check. */
export const COMPLIANCE_STATUSES = ['not_checked', 'passed', 'failed', 'error'] as const;
export type ComplianceStatus = (typeof COMPLIANCE_STATUSES)[number];

export const COMPLIANCE_TYPES = ['mls', 'marketplace'] as const;
export type ComplianceType = (typeof COMPLIANCE_TYPES)[number];

/** Position of an image in its listing. */
export const COMPLIANCE_IMAGE_TYPES = ['main', 'secondary'] as const;
export type ComplianceImageType = (typeof COMPLIANCE_IMAGE_TYPES)[number];

/** The standards to check an image against. */
export interface ComplianceRequest {
  type: ComplianceType;
  standard: string;
  imageType: ComplianceImageType;
}
