import type { AccountMailKind } from '../../domain/accounts/tokens.ts';
import { taskPriority } from './queues.ts';
import type { Workflow } from './workflow.ts';

export interface AccountMail {
  kind: AccountMailKind;
  /** A random id for an unknown address: nothing is sent, and the caller cannot tell the difference. */
  userId: string;
  /** Tenant of an invitation or a webhook; absent for other emails. */
  tenantId?: string;
  /** The webhook that was disabled. */
  webhookId?: string;
  /** The address of a deleted user, which is stored nowhere else; absent for other emails. */
  to?: string;
}

/**
 * `sendAccountMail`, id `mail/{kind}/{user_id}/{uuid}`, queue `workflows`: sends an email about an account, retried for
 * a day. Its history holds ids only, except `to`: the activity reads the address and makes the token when it sends.
 */
export interface AccountMailToSend extends AccountMail {
  /** Unchanged when the email is retried. */
  mailId: string;
}

export const SEND_ACCOUNT_MAIL: Workflow<AccountMailToSend> = {
  type: 'sendAccountMail',
  id: ({ kind, userId, mailId }) => `mail/${kind}/${userId}/${mailId}`,
  reuse: 'never',
  summary: ({ kind }) => `Email: ${kind.replaceAll('_', ' ')}`,
  priority: ({ tenantId }) => taskPriority('interactive', tenantId),
  // After a day, the user will have requested another one.
  timeout: '24 hours',
};
