import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  ANSWER_STATUSES,
  ANSWERED_BY,
  type AnswerSentence,
  type Passage,
} from '../../../domain/ask/answer.ts';
import type { FailureReason } from '../../../domain/components.ts';
import { ANALYSIS_LEVELS } from '../../../domain/structured-extraction/extraction.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { Tenant } from '../accounts/tenant.ts';

/** A question about documents: the passages found for it, and the answer of its workflow. Removed after a day. */
export const DocumentAnswer = defineEntity({
  name: 'DocumentAnswer',
  tableName: 'document_answers',
  indexes: [
    {
      name: 'document_answers_engine_due',
      expression:
        'create index "document_answers_engine_due" on "document_answers" ("engine_due_at") where "engine_due_at" is not null',
    },
    {
      name: 'document_answers_open',
      expression: `create index "document_answers_open" on "document_answers" ("updated_at") where "status" = 'processing'`,
    },
    { name: 'document_answers_of_tenant', properties: ['tenantId', 'createdAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(false),
    question: p.text(),
    level: p.enum(ANALYSIS_LEVELS),
    passages: p.json<readonly Passage[]>(),

    /** Deadline for retrying a model that does not respond. */
    giveUpAt: p.datetime(),
    status: p.enum(ANSWER_STATUSES),
    error: p.json<FailureReason>().nullable(),

    /** False if the passages do not answer the question; null until it has ended. */
    answered: p.boolean().nullable(),
    answeredBy: p.enum(ANSWERED_BY).nullable(),
    sentences: p.json<readonly AnswerSentence[]>().nullable(),
    provider: p.string().nullable(),
    model: p.string().nullable(),
    promptVersion: p.string().nullable(),
    usage: p.json<TokenUsage>().nullable(),
    /** From acceptance to end. */
    processingMs: p.integer().nullable(),

    /** The API key of the request. */
    apiKeyId: p.string().length(8).nullable(),
    userId: p.uuid().nullable(),
    /** Since when the engine may lack it; cleared once notified, swept until then. */
    engineDueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
});
export type DocumentAnswer = InferEntity<typeof DocumentAnswer>;
