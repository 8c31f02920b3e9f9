import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { AccountMailToSend } from '../temporal/contract/account-mail.ts';
import { taskPriority, QUEUES } from '../temporal/contract/queues.ts';
import { mail as mailOptions } from './activity-options.ts';

/**
 * Sends an email about an account.
 *
 * @returns false when the user does not exist, so that nothing was sent
 */
export async function sendAccountMail(mail: AccountMailToSend): Promise<boolean> {
  const { deliverAccountMail } = proxyActivities<Activities>({
    ...mailOptions,
    taskQueue: QUEUES.io,
    priority: taskPriority('interactive', mail.tenantId),
    summary: mail.kind.replaceAll('_', ' '),
  });
  // The owner of the old address must be notified before the new one can be confirmed.
  if (mail.kind === 'change_email') {
    await deliverAccountMail({ ...mail, kind: 'change_email_notice', mailId: `${mail.mailId}-notice` });
  }
  return deliverAccountMail(mail);
}
