import { MailError, type Mailer } from '../adapters/mail/mailer.ts';
import type { Orm } from '../db/create-orm.ts';
import { sendAccountMail } from '../services/accounts/mails/send-account-mail.ts';
import type { AccountMailToSend } from '../temporal/contract/account-mail.ts';
import { permanentFailure, retryableFailure } from '../temporal/contract/failures.ts';

export interface AccountMailDeps {
  orm: Orm;
  mailer: Mailer;
}

/** The step of `sendAccountMail`, on the `io` queue. */
export function createAccountMailActivities({ orm, mailer }: AccountMailDeps) {
  return {
    /** @returns false when the user does not exist, so that nothing was sent */
    async deliverAccountMail(mail: AccountMailToSend): Promise<boolean> {
      try {
        return await sendAccountMail({ em: orm.em.fork(), mailer }, mail);
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        // The old address is often one that no longer exists: its notice must not block the change.
        if (error.permanent && mail.kind === 'change_email_notice') return false;
        throw error.permanent
          ? permanentFailure('MAIL_REFUSED', error.message)
          : retryableFailure('MAIL_UNAVAILABLE', error.message);
      }
    },
  };
}
