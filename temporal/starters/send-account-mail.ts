import { randomUUID } from 'node:crypto';
import type { Engine } from '../client.ts';
import { SEND_ACCOUNT_MAIL, type AccountMail, type AccountMailToSend } from '../contract/account-mail.ts';
import { accountMailWorkflowId } from '../contract/ids.ts';
import { lane, QUEUES } from '../contract/queues.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';

/** An email of yesterday is of no use: its reader has asked for another one. */
const TIMEOUT = '24 hours';

/**
 * Has an email about an account sent, through an outage of the mail server as well.
 *
 * @throws EngineUnavailable
 */
export async function startAccountMail(engine: Engine, mail: AccountMail): Promise<void> {
  const input: AccountMailToSend = { ...mail, mailId: randomUUID() };
  await engine.within(START_DEADLINE_MS, (client) =>
    client.workflow.start(SEND_ACCOUNT_MAIL, {
      workflowId: accountMailWorkflowId(input),
      taskQueue: QUEUES.workflows,
      args: [input],
      workflowExecutionTimeout: TIMEOUT,
      priority: lane('interactive', mail.tenantId),
      staticSummary: `Mail: ${mail.kind.replaceAll('_', ' ')}`,
    }),
  );
}
