import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { MediaType } from '../../domain/media.ts';

/** Search attributes for operators. Registered by the launcher and in compose. */
export const SEARCH_ATTRIBUTES = {
  tenantId: defineSearchAttributeKey('TenantId', 'KEYWORD'),
  sessionId: defineSearchAttributeKey('SessionId', 'KEYWORD'),
  mediaType: defineSearchAttributeKey('MediaType', 'KEYWORD'),
  unifiedStatus: defineSearchAttributeKey('UnifiedStatus', 'KEYWORD'),
  lastProgressAt: defineSearchAttributeKey('LastProgressAt', 'DATETIME'),
};

/** The attributes that a workflow starts with; absent ones do not apply to it. */
export function searchAttributes(given: {
  tenantId: string;
  sessionId?: string | undefined;
  mediaType?: MediaType | undefined;
  unifiedStatus?: string | undefined;
}): SearchAttributePair[] {
  const { tenantId, sessionId, mediaType, unifiedStatus } = SEARCH_ATTRIBUTES;
  return [
    { key: tenantId, value: given.tenantId },
    ...(given.sessionId ? [{ key: sessionId, value: given.sessionId }] : []),
    ...(given.mediaType ? [{ key: mediaType, value: given.mediaType }] : []),
    ...(given.unifiedStatus ? [{ key: unifiedStatus, value: given.unifiedStatus }] : []),
  ];
}
