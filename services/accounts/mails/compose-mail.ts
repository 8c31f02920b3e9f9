import type { AccountMailKind } from '../../../domain/accounts/tokens.ts';

/** The values in the text of an email. */
export interface MailFacts {
  /** The page linked from this kind of email, with its token if any. */
  link: string;
  token: string;
  /** The new address, for a change of address. */
  newEmail: string;
  tenantName: string;
  /** The number of the user's working keys. */
  apiKeys: number;
  /** The webhook that was disabled. */
  webhook: { url: string; reason: string };
}

interface Composed {
  subject: string;
  /** Paragraphs. */
  lines: (facts: MailFacts) => string[];
}

const TOKEN = ({ link, token }: MailFacts): string[] => [link, `Token, for programs:\n${token}`];
const NOT_YOU = 'If this was not you, you need do nothing.';
const NOT_YOU_ALARM =
  'If this was not you, reset your password now: somebody may have access to your account.';

const MAILS: Readonly<Record<AccountMailKind, Composed>> = {
  verify_email: {
    subject: 'Verify your email address',
    lines: (facts) => [
      'Open this page within 24 hours to verify your address. It asks for the password that was registered; if that was not you, do not use it, or set a password of your own:',
      ...TOKEN(facts),
      NOT_YOU,
    ],
  },
  reset_password: {
    subject: 'Reset your password',
    lines: (facts) => [
      'Open this page within an hour to choose a new password:',
      ...TOKEN(facts),
      ...(facts.apiKeys > 0
        ? [
            `API keys that you have created and that work: ${facts.apiKeys}. A new password does not end them. If somebody else may have had access to your account, have them revoked with it: the page offers that.`,
          ]
        : []),
      NOT_YOU,
    ],
  },
  change_email: {
    subject: 'Confirm your new email address',
    lines: (facts) => [
      'Open this page within 24 hours, in a browser where you are logged in, to log in with this address from now on:',
      ...TOKEN(facts),
      NOT_YOU,
    ],
  },
  invitation: {
    subject: 'You are invited',
    lines: (facts) => [
      `You are invited to ${facts.tenantName}. Open this page within 7 days to accept:`,
      ...TOKEN(facts),
      'If you do not know who invited you, you need do nothing.',
    ],
  },
  existing_account: {
    subject: 'You have an account already',
    lines: () => [
      'Somebody has registered with your address, but there is an account with it already: log in, or reset the password.',
      NOT_YOU,
    ],
  },
  change_email_notice: {
    subject: 'Your email address is about to change',
    lines: ({ newEmail }) => [
      `Your account will belong to ${newEmail} once that address is confirmed.`,
      NOT_YOU_ALARM,
    ],
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: () => [
      'The password of your account was changed, and all other sessions have ended.',
      NOT_YOU_ALARM,
    ],
  },
  password_set: {
    subject: 'Your account has a password',
    lines: () => ['A password was set: you can now log in with it as well.', NOT_YOU_ALARM],
  },
  account_deleted: {
    subject: 'Your account was deleted',
    lines: () => [
      'Your account was deleted, with the tenants that you own; their files are being removed. This cannot be taken back.',
      'If this was not you, tell the operator of this service: somebody has used your password or a device of yours.',
    ],
  },
  identity_linked: {
    subject: 'A new way to log in',
    lines: () => ['You can now log in through your identity provider as well.', NOT_YOU_ALARM],
  },
  webhook_disabled: {
    subject: 'A webhook was disabled',
    lines: ({ tenantName, webhook }) => [
      `Events of ${tenantName} are no longer delivered to this address:`,
      webhook.url,
      `The reason: ${webhook.reason}. What was not delivered is kept for 30 days: once the receiver works again, enable the webhook and have the failed deliveries sent again.`,
    ],
  },
};

export function composeMail(kind: AccountMailKind, facts: MailFacts): { subject: string; text: string } {
  const { subject, lines } = MAILS[kind];
  return { subject, text: ['Hello,', ...lines(facts)].join('\n\n') };
}
