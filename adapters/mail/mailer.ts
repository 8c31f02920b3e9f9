/** An email in plain text. */
export interface Mail {
  /** Unique; the same when an email is sent again, so that programs show it once. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** Sends emails. */
export interface Mailer {
  /** Links in emails begin with it. */
  baseUrl: URL;
  /** @throws MailError */
  send(mail: Mail): Promise<void>;
  /** Connects and logs in, and sends nothing. @throws MailError */
  verify(): Promise<void>;
  close(): void;
}

/** An email was not sent. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The server will never accept it, such as for a mailbox that does not exist. */
  readonly permanent: boolean;

  constructor(message: string, options: { permanent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.permanent = options.permanent;
  }
}
