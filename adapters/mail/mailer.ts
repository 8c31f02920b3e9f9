/** An email in plain text. */
export interface Mail {
  /** Unique; the same when an email is sent again, so that email programs show it once. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Base of the links in emails. */
  baseUrl: URL;
  /** @throws MailError */
  send(mail: Mail): Promise<void>;
  /** Connects and logs in without sending. @throws MailError */
  verify(): Promise<void>;
  close(): void;
}

/** An email was not sent. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The server rejects it permanently, for example for a mailbox that does not exist. */
  readonly permanent: boolean;

  constructor(message: string, options: { permanent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.permanent = options.permanent;
  }
}
