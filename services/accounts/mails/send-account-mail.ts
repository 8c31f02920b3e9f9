import type { EntityManager } from '@mikro-orm/postgresql';
import type { Mailer } from '../../../adapters/mail/mailer.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { WebhookSubscription } from '../../../db/entities/webhooks/webhook-subscription.ts';
import { ACCOUNT_MAILS, type AccountMailKind, type TokenKind } from '../../../domain/accounts/tokens.ts';
import { printable } from '../../../domain/text.ts';
import type { AccountMailToSend } from '../../../temporal/contract/account-mail.ts';
import { countApiKeysOfUser } from '../api-keys/change-api-key.ts';
import { issueToken, withdrawToken } from '../account-tokens.ts';
import { composeMail, type MailFacts } from './compose-mail.ts';

/**
 * Sends an email to a user, with a token made now: it exists in the email and nowhere else.
 *
 * @returns false when the recipient is gone or the email is obsolete
 * @throws MailError
 */
export async function sendAccountMail(
  { em, mailer }: { em: EntityManager; mailer: Mailer },
  { kind, userId, tenantId, webhookId, mailId, to: deleted }: AccountMailToSend,
): Promise<boolean> {
  if (deleted !== undefined) {
    await mailer.send({ id: mailId, to: deleted, ...composeMail(kind, NO_FACTS) });
    return true;
  }
  const user = await em.findOne(User, { id: userId, isActive: true });
  const to = user && recipient(user, kind);
  if (!to) return false;
  if (kind === 'change_email' && (await em.count(User, { email: to })) > 0) {
    // The response did not reveal that the address is taken; its owner learns of the attempt.
    const owner = {
      kind: 'existing_account',
      userId: (await em.findOneOrFail(User, { email: to })).id,
    } as const;
    return sendAccountMail({ em, mailer }, { ...owner, mailId });
  }
  const tenant = tenantId === undefined ? null : await em.findOne(Tenant, { id: tenantId, isActive: true });
  if (kind === 'invitation' && !tenant) return false;
  const webhook =
    tenant && webhookId !== undefined
      ? await em.findOne(WebhookSubscription, { id: webhookId, tenantId: tenant.id, enabled: false })
      : null;
  if (kind === 'webhook_disabled' && !webhook?.disabledReason) return false;

  const purpose = tokenOf(kind);
  const token = purpose ? await issueToken(em, { kind: purpose, userId, tenantId, email: to }) : '';
  const facts = {
    ...NO_FACTS,
    link: `${mailer.baseUrl.origin}/account/${kind.replaceAll('_', '-')}#token=${token}`,
    token,
    newEmail: user.pendingEmail ?? '',
    tenantName: oneLine(tenant?.name ?? ''),
    apiKeys: kind === 'reset_password' ? await countApiKeysOfUser(em, userId) : 0,
    webhook: { url: webhook?.url ?? '', reason: webhook?.disabledReason ?? '' },
  };
  try {
    await mailer.send({ id: mailId, to, ...composeMail(kind, facts) });
  } catch (error) {
    if (token) await withdrawToken(em, token);
    throw error;
  }
  return true;
}

const NO_FACTS: MailFacts = {
  link: '',
  token: '',
  newEmail: '',
  tenantName: '',
  apiKeys: 0,
  webhook: { url: '', reason: '' },
};

function recipient(user: User, kind: AccountMailKind): string | undefined {
  if (kind === 'change_email') return user.pendingEmail ?? undefined;
  if (kind === 'change_email_notice' && !user.pendingEmail) return undefined;
  // The address is verified already.
  if (kind === 'verify_email' && user.emailVerifiedAt) return undefined;
  return user.email;
}

function tokenOf(kind: AccountMailKind): TokenKind | undefined {
  const mail: { token?: TokenKind } = ACCOUNT_MAILS[kind];
  return mail.token;
}

/** Names are chosen by users: none may look like a part of the email. Therefore users are not greeted by name. */
function oneLine(name: string): string {
  return printable(name, 100).replaceAll(/https?:\/\/|www\./gi, '');
}
