/** Who may use an operation: everyone, people who are logged in, or members from a level on. */
export interface OperationAccess {
  needs: 'nothing' | 'login' | 'VIEW' | 'EDIT' | 'ADMIN';
  /** API keys will not do. */
  sessionOnly?: true;
  /** Needs a tier with API access. */
  paidTier?: true;
}

const PUBLIC: OperationAccess = { needs: 'nothing' };
const OWN_ACCOUNT: OperationAccess = { needs: 'login', sessionOnly: true };
const VIEW: OperationAccess = { needs: 'VIEW' };
const EDIT: OperationAccess = { needs: 'EDIT' };
const MEMBER: OperationAccess = { needs: 'VIEW', sessionOnly: true };
const ADMIN: OperationAccess = { needs: 'ADMIN', sessionOnly: true };

/**
 * The access of every operation, written out by hand from the contract: what the code derives from its own table is compared
 * with this one.
 */
export const OPERATION_ACCESS: Readonly<Record<string, OperationAccess>> = {
  logUploadEvent: PUBLIC,
  register: PUBLIC,
  verifyEmail: PUBLIC,
  resendVerification: PUBLIC,
  acceptInvitation: PUBLIC,
  logIn: PUBLIC,
  logOut: PUBLIC,
  forgotPassword: PUBLIC,
  resetPassword: PUBLIC,
  startOidcLogin: PUBLIC,
  finishOidcLogin: PUBLIC,

  getSession: OWN_ACCOUNT,
  switchTenant: OWN_ACCOUNT,
  getProfile: OWN_ACCOUNT,
  changeProfile: OWN_ACCOUNT,
  deleteAccount: OWN_ACCOUNT,
  changePassword: OWN_ACCOUNT,
  changeEmail: OWN_ACCOUNT,
  confirmEmailChange: OWN_ACCOUNT,
  setInitialPassword: OWN_ACCOUNT,
  listLoginSessions: OWN_ACCOUNT,
  revokeLoginSession: OWN_ACCOUNT,
  revokeOtherSessions: OWN_ACCOUNT,

  listFiles: VIEW,
  getFile: VIEW,
  downloadFile: VIEW,
  getFileVariant: VIEW,
  getFileTimeline: VIEW,
  getProcessingStatus: VIEW,
  getUploadStatus: VIEW,
  findSimilarFiles: VIEW,
  checkDuplicates: VIEW,
  checkQuota: VIEW,
  listFolders: VIEW,
  getFolder: VIEW,
  listProjects: VIEW,
  getProject: VIEW,
  listDeletions: VIEW,
  getDeletion: VIEW,
  getDirectUpload: VIEW,
  listUploadSessions: VIEW,
  listStuckFiles: VIEW,
  getUploadSessionStatus: VIEW,
  getUploadSessionResults: VIEW,
  getUploadSessionSummary: VIEW,
  streamUploadSessionEvents: VIEW,
  openLiveConnection: VIEW,
  legacyGetImage: VIEW,
  legacyCheckQuota: VIEW,
  legacyCheckDuplicates: VIEW,
  legacyListPendingBatches: VIEW,
  legacyListUploadSessions: VIEW,
  legacyGetUploadSessionStatus: VIEW,
  legacyGetUploadSessionResults: VIEW,
  legacyGetBatchStatus: VIEW,
  legacyGetUploadStatus: VIEW,
  legacyListStuckUploads: VIEW,

  createApiKey: { ...ADMIN, paidTier: true },
  changeApiKey: { ...ADMIN, paidTier: true },
  listApiKeys: ADMIN,
  getApiKey: ADMIN,
  revokeApiKey: ADMIN,
  getTenantSettings: MEMBER,
  getTenantLimits: MEMBER,
  listMembers: MEMBER,
  changeTenantSettings: ADMIN,
  inviteMember: ADMIN,
  changeMemberRole: ADMIN,
  removeMember: ADMIN,
  getStorageConfig: MEMBER,
  validateStorageConfig: MEMBER,
  configureStorage: ADMIN,
  removeStorageConfig: ADMIN,
  listAuditLogs: ADMIN,
  getAuditLog: ADMIN,

  uploadFile: EDIT,
  uploadBatch: EDIT,
  createDirectUpload: EDIT,
  confirmUploadPart: EDIT,
  retryUploadPart: EDIT,
  completeDirectUpload: EDIT,
  abortDirectUpload: EDIT,
  changeFile: EDIT,
  deleteFile: EDIT,
  deleteFiles: EDIT,
  restoreFile: EDIT,
  createFolder: EDIT,
  changeFolder: EDIT,
  deleteFolder: EDIT,
  createProject: EDIT,
  changeProject: EDIT,
  deleteProject: EDIT,
  retryFile: EDIT,
  triggerVariants: EDIT,
  cancelUploadSession: EDIT,
  pauseUploadSession: EDIT,
  resumeUploadSession: EDIT,
  retryUploadSession: EDIT,
  legacyUploadFile: EDIT,
  legacyUploadBatch: EDIT,
  legacyRequestPresignedUrl: EDIT,
  legacyConfirmUpload: EDIT,
  legacyPrepareBatch: EDIT,
  legacyConfirmBatch: EDIT,
  legacyRecoverBatch: EDIT,
  legacyCleanUpBatches: EDIT,
  legacyCancelUploadSession: EDIT,
};
