/** There is nothing under this key. A retry changes nothing. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  readonly key: string;

  constructor(key: string) {
    super(`no object at ${key}`);
    this.key = key;
  }
}

/** The object is larger than the reader was ready to hold in memory. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
  readonly key: string;

  constructor(key: string, maxBytes: number) {
    super(`${key} is larger than ${maxBytes} bytes`);
    this.key = key;
  }
}

/** The store did not do as asked: down, slow, full, or refusing our credentials. Worth another try; `cause` says why. */
export class ObjectStoreUnavailable extends Error {
  override readonly name = 'ObjectStoreUnavailable';
}
