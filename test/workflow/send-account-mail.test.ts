import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type AccountMailToSend, SEND_ACCOUNT_MAIL } from '../../temporal/contract/account-mail.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

function send(
  kind: AccountMailToSend['kind'],
  deliverAccountMail: (mail: AccountMailToSend) => boolean,
): Promise<boolean> {
  const mail: AccountMailToSend = { kind, userId: randomUUID(), mailId: randomUUID() };
  return testEnv.withWorkers({ deliverAccountMail }, () =>
    testEnv.env.client.workflow.execute('sendAccountMail', {
      workflowId: SEND_ACCOUNT_MAIL.id(mail),
      taskQueue: 'workflows',
      args: [mail],
    }),
  );
}

test('a mail is retried during an outage of the mail server until it is sent', async () => {
  let attempts = 0;
  const sent = await send('verify_email', () => {
    attempts += 1;
    if (attempts < 3) throw ApplicationFailure.retryable('it answered 421', 'MAIL_UNAVAILABLE');
    return true;
  });
  assert.deepEqual([sent, attempts], [true, 3]);
});

test('a mail that the server permanently refuses is not sent again', async () => {
  let attempts = 0;
  await assert.rejects(
    send('reset_password', () => {
      attempts += 1;
      throw ApplicationFailure.nonRetryable('it answered 550', 'MAIL_REFUSED');
    }),
  );
  assert.equal(attempts, 1);
});

test('a change of address is announced to the old address before the new one can confirm it', async () => {
  const kinds: string[] = [];
  await send('change_email', ({ kind }) => {
    kinds.push(kind);
    return true;
  });
  assert.deepEqual(kinds, ['change_email_notice', 'change_email']);
});
