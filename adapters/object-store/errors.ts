/** There is no object under this key. Not retryable. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  readonly key: string;

  constructor(key: string) {
    super(`no object at ${key}`);
    this.key = key;
  }
}

/** The object is larger than the limit that the reader set for memory. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
  readonly key: string;

  constructor(key: string, maxBytes: number) {
    super(`${key} is larger than ${maxBytes} bytes`);
    this.key = key;
  }
}

/** The store failed: down, slow, or one of the reasons below. Retryable; `cause` says why. */
export class ObjectStoreUnavailable extends Error {
  override readonly name: string = 'ObjectStoreUnavailable';
}

/** The store answers, and refuses us: the credentials, their permissions, or the bucket. It may be set right. */
export class ObjectStoreRefused extends ObjectStoreUnavailable {
  override readonly name = 'ObjectStoreRefused';
  /** As S3 names it, such as `AccessDenied`. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The store has no room for what was to be written. Reads still work. */
export class ObjectStoreFull extends ObjectStoreUnavailable {
  override readonly name = 'ObjectStoreFull';
}

/** The store does not copy parts of objects. Not retryable. */
export class PartCopyUnsupported extends Error {
  override readonly name = 'PartCopyUnsupported';
}
