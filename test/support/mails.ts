import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from './api.ts';

/** An email that the shared stack has sent. */
export interface ReceivedMail {
  subject: string;
  text: string;
  /** The token in the email; empty without one. */
  token: string;
}

/** All emails to an address, oldest first. */
export function mailsTo(address: string): ReceivedMail[] {
  const folder = join(dirname(process.env['DARKROOM_RUN'] ?? ''), 'mails');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts
    .filter((text) => new RegExp(`^To: .*${address.replaceAll('.', '\\.')}`, 'im').test(text))
    .map((text) => ({
      subject: /^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '',
      text,
      token: /^([\w-]{43})\r?$/m.exec(text)?.[1] ?? '',
    }));
}

/** Waits for an email to an address with this subject, and returns the newest one. */
export function mailTo(address: string, subject: RegExp): Promise<ReceivedMail> {
  return eventually(async () => {
    const found = mailsTo(address).findLast((mail) => subject.test(mail.subject));
    assert.ok(found, `no mail to ${address} about ${subject}`);
    return found;
  }, 60);
}
