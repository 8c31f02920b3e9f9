import { createRequire } from 'node:module';
import type * as Nodemailer from 'nodemailer';
import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailConfig } from './config.ts';
import { MailError, type Mail, type Mailer } from './mailer.ts';

/** Loads the package for the first email: 25 MB. */
const require = createRequire(import.meta.url);
const nodemailer = () => require('nodemailer') as typeof Nodemailer;

const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;

/** A mailer that sends by SMTP, or else writes to a folder; with neither, emails wait until one is configured. */
export function createMailer(config: MailConfig): Mailer {
  const { SMTP_URL: url, MAIL_FOLDER: folder, PUBLIC_BASE_URL: baseUrl } = config;
  if (url !== undefined) return { baseUrl, ...smtp(url, config) };
  if (folder !== undefined) return { baseUrl, ...folderOf(folder, config) };
  return {
    baseUrl,
    send: () => Promise.reject(notConfigured()),
    verify: () => Promise.reject(notConfigured()),
    close: () => undefined,
  };
}

function notConfigured(): MailError {
  return new MailError('no SMTP_URL is configured', { permanent: false });
}

function smtp(url: string, config: MailConfig): Omit<Mailer, 'baseUrl'> {
  const connect = () =>
    nodemailer().createTransport({
      url,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: ANSWER_MS,
    });
  let transport: ReturnType<typeof connect> | undefined;
  return {
    async send(mail) {
      try {
        await (transport ??= connect()).sendMail(messageOf(mail, config));
      } catch (error) {
        throw toMailError(error);
      }
    },
    async verify() {
      try {
        await (transport ??= connect()).verify();
      } catch (error) {
        throw toMailError(error);
      }
    },
    close: () => transport?.close(),
  };
}

function folderOf(folder: string, config: MailConfig): Omit<Mailer, 'baseUrl'> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    async send(mail) {
      const transport = nodemailer().createTransport({ streamTransport: true, buffer: true });
      const { message } = await transport.sendMail(messageOf(mail, config));
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '')}-${mail.id}.eml`);
      // A rename keeps readers from seeing a partial email.
      await writeFile(`${path}.part`, message, { mode: 0o600 });
      await rename(`${path}.part`, path);
    },
    verify: () => Promise.resolve(),
    close: () => undefined,
  };
}

function messageOf({ id, to, subject, text }: Mail, { MAIL_FROM: from, PUBLIC_BASE_URL: base }: MailConfig) {
  // An address object, since no comma can split it into several addresses.
  const recipient = { name: '', address: to };
  return {
    from,
    to: recipient,
    subject,
    // Otherwise the encoding treats the whole text as one line, and breaks it anywhere.
    text: text.replaceAll('\n', '\r\n'),
    messageId: `<${id}@${base.hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Only an envelope that the server rejects permanently is permanent; an operator may fix any other failure. */
function toMailError(error: unknown): MailError {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  const permanent = code === 'EENVELOPE' && responseCode >= 500;
  const why = responseCode > 0 ? `it answered ${responseCode}` : (code ?? 'unknown reason');
  return new MailError(`the mail server did not accept the email: ${why}`, { permanent, cause: error });
}
