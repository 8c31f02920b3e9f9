/** A mail in plain text. */
export interface Mail {
  /** Unique; the same when a mail is sent again, so that programs show it once. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** Sends mails. */
export interface Mailer {
  /** Links in mails begin with it. */
  baseUrl: URL;
  /** @throws MailError */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** A mail was not sent. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The server will never accept it, such as for a mailbox that does not exist. */
  readonly permanent: boolean;

  constructor(message: string, options: { permanent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.permanent = options.permanent;
  }
}
