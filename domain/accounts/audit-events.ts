export const AUDIT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export const AUDIT_RESULTS = ['success', 'failure'] as const;
export type AuditSeverity = (typeof AUDIT_SEVERITIES)[number];
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/** The security-relevant events of the audit log, with their severity on success; a failure is at least a warning. */
export const AUDIT_EVENTS = {
  'auth.register': 'info',
  'auth.login': 'info',
  'auth.logout': 'info',
  'auth.email_verified': 'info',
  'auth.password_reset_requested': 'info',
  'auth.password_reset': 'warning',
  'auth.tenant_switched': 'info',
  'auth.identity_linked': 'warning',
  'user.password_changed': 'warning',
  'user.password_set': 'warning',
  'user.email_change_requested': 'info',
  'user.email_changed': 'warning',
  'user.profile_changed': 'info',
  'user.session_revoked': 'info',
  'user.sessions_revoked': 'warning',
  'user.deleted': 'critical',
  'api_key.created': 'info',
  'api_key.changed': 'info',
  'api_key.revoked': 'warning',
  'tenant.created': 'info',
  'tenant.settings_changed': 'info',
  'tenant.limits_changed': 'warning',
  'tenant.disabled': 'critical',
  'tenant.enabled': 'warning',
  'tenant.deleted': 'critical',
  'member.invited': 'info',
  'member.invitation_accepted': 'info',
  'member.joined': 'info',
  'member.role_changed': 'warning',
  'member.removed': 'warning',
  'storage.configured': 'warning',
  'storage.removed': 'warning',
  'connection.created': 'warning',
  'connection.deleted': 'warning',
  'webhook.created': 'warning',
  'webhook.changed': 'info',
  'webhook.secret_rotated': 'info',
  'webhook.disabled': 'warning',
  'webhook.deleted': 'info',
  'data.exported': 'info',
  'import.created': 'info',
  'reprocessing.started': 'info',
  'reprocessing.cancelled': 'info',
  'reprocessing.rolled_back': 'warning',
  'reprocessing.closed': 'info',
  'file.divided': 'info',
  'file.shared': 'warning',
  'file.share_revoked': 'info',
  'file.erased': 'warning',
  'file.held': 'warning',
  'file.released': 'critical',
  'folder.retention_changed': 'warning',
  'retention.applied': 'info',
  'trash.emptied': 'critical',
  'access.denied': 'warning',
} as const satisfies Readonly<Record<string, AuditSeverity>>;
export type AuditEventType = keyof typeof AUDIT_EVENTS;
export const AUDIT_EVENT_TYPES = Object.keys(AUDIT_EVENTS) as AuditEventType[];

const SEVERITY_OF_FAILURE: Readonly<Record<AuditSeverity, AuditSeverity>> = {
  info: 'warning',
  warning: 'warning',
  critical: 'critical',
};

export function severityOf(type: AuditEventType, result: AuditResult): AuditSeverity {
  const severity = AUDIT_EVENTS[type];
  return result === 'success' ? severity : SEVERITY_OF_FAILURE[severity];
}
