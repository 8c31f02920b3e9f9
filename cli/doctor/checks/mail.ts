import { mailConfig } from '../../../adapters/mail/config.ts';
import { createMailer } from '../../../adapters/mail/create-mailer.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Area } from '../run-checks.ts';

/** Checks that the mail server responds and accepts the user and password. Sends nothing. */
export const mail: Area = {
  name: 'Mail',
  slices: [mailConfig],
  async check(env, report) {
    const config = readConfig([mailConfig], env);
    if (config.SMTP_URL === undefined) {
      if (config.MAIL_FOLDER !== undefined)
        report.ok('server', `none: emails are files in ${config.MAIL_FOLDER}`);
      else report.warn('server', 'none: emails are queued for a day, then dropped', 'set SMTP_URL');
      return;
    }
    const mailer = createMailer(config);
    try {
      await mailer.verify();
      report.ok('server', new URL(config.SMTP_URL).host);
    } finally {
      mailer.close();
    }
  },
  remedy: () => 'check SMTP_URL: its host, port, user and password',
};
