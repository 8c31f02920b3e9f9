import { defineSearchAttributeKey } from '@temporalio/common';

/** What operators filter workflows by. Registered by the launcher and in compose. */
export const SEARCH_ATTRIBUTES = {
  tenantId: defineSearchAttributeKey('TenantId', 'KEYWORD'),
  sessionId: defineSearchAttributeKey('SessionId', 'KEYWORD'),
  mediaType: defineSearchAttributeKey('MediaType', 'KEYWORD'),
  unifiedStatus: defineSearchAttributeKey('UnifiedStatus', 'KEYWORD'),
  lastProgressAt: defineSearchAttributeKey('LastProgressAt', 'DATETIME'),
};
