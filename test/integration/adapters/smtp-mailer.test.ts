import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { mailConfig } from '../../../adapters/mail/config.ts';
import { createMailer } from '../../../adapters/mail/create-mailer.ts';
import { MailError } from '../../../adapters/mail/mailer.ts';

/** A mail server that accepts emails of one user for one mailbox, and can fail. */
const PASSWORD = 'correct horse';
const received: string[] = [];
let busy = false;
const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth(auth, _session, done) {
    if (auth.password === PASSWORD) done(null, { user: auth.username });
    else done(new Error('wrong password'));
  },
  onRcptTo({ address }, _session, done) {
    const refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    const later = Object.assign(new Error('try again'), { responseCode: 451 });
    done(busy ? later : address === 'ada@example.org' ? null : refusal);
  },
  onData(stream, _session, done) {
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('end', () => {
      received.push(text);
      done();
    });
  },
});
const mail = {
  id: 'one',
  to: 'ada@example.org',
  subject: 'Verify your address',
  text: 'Grüße\nhttps://a.example/#t',
};

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => new Promise<void>((resolve) => server.close(resolve)));

function mailerWith(password: string) {
  const { port } = server.server.address() as AddressInfo;
  const user = encodeURIComponent('darkroom@example.org');
  const url = `smtp://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return createMailer(mailConfig.parse({ SMTP_URL: url, MAIL_FROM: 'Darkroom <no-reply@example.org>' }));
}

const failure = (permanent: boolean) => (error: unknown) =>
  error instanceof MailError && error.permanent === permanent && !error.message.includes(PASSWORD);

test('a mail arrives with its id, sender and text', async () => {
  const mailer = mailerWith(PASSWORD);
  await mailer.verify();
  await mailer.send(mail);
  mailer.close();
  const [text = ''] = received;
  assert.match(text, /^From: Darkroom <no-reply@example\.org>/m);
  assert.match(text, /^To: ada@example\.org/m);
  assert.match(text, /^Message-ID: <one@/m);
  assert.match(text, /https:\/\/a\.example\/#t/);
});

test('an unknown mailbox is a permanent failure, and everything else is temporary', async () => {
  const mailer = mailerWith(PASSWORD);
  await assert.rejects(mailer.send({ ...mail, to: 'bob@example.org' }), failure(true));
  busy = true;
  await assert.rejects(mailer.send(mail), failure(false));
  mailer.close();
  const stranger = mailerWith('wrong');
  await assert.rejects(stranger.verify(), failure(false));
  await assert.rejects(stranger.send(mail), failure(false));
  stranger.close();
});
