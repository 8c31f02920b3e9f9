import { nodeModule } from './sources.ts';

/** Constants of FIPS 180-4: the fraction bits of roots of the first primes. */
const PRIMES = firstPrimes(64);
const K = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64;

/**
 * The SHA-256 of a blob of any size in hexadecimal. Reads the blob in chunks, which WebCrypto cannot do.
 *
 * @throws the reason of the signal, and the error of a blob that cannot be read
 */
export function sha256(blob: Blob, signal?: AbortSignal): Promise<string> {
  return hashWith(nodeModule('node:crypto')?.createHash('sha256') ?? new Sha256(), blob, signal);
}

/** The MD5 of a blob in the same way, which is the ETag of a part in most stores; undefined in browsers. */
export async function md5(blob: Blob, signal?: AbortSignal): Promise<string | undefined> {
  const hash = nodeModule('node:crypto')?.createHash('md5');
  return hash && hashWith(hash, blob, signal);
}

async function hashWith(
  hash: { update: (chunk: Uint8Array) => void; digest: (encoding: 'hex') => string },
  blob: Blob,
  signal: AbortSignal | undefined,
): Promise<string> {
  const reader = (blob.stream() as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return hash.digest('hex');
      hash.update(value);
    }
  } finally {
    reader.releaseLock();
  }
}

/** SHA-256 for runtimes without `node:crypto`. */
export class Sha256 {
  readonly #state = Uint32Array.from(INITIAL);
  readonly #words = new Uint32Array(64);
  readonly #block = new Uint8Array(BLOCK);
  readonly #view = new DataView(this.#block.buffer);
  #filled = 0;
  #bytes = 0;

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + BLOCK - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === BLOCK) this.#compress();
    }
  }

  digest(_encoding: 'hex'): string {
    const bits = this.#bytes * 8;
    this.update(Uint8Array.of(0x80));
    const zeros = (BLOCK + 56 - this.#filled) % BLOCK;
    this.update(new Uint8Array(zeros));
    const length = new DataView(new ArrayBuffer(8));
    length.setUint32(0, Math.floor(bits / 2 ** 32));
    length.setUint32(4, bits % 2 ** 32);
    this.update(new Uint8Array(length.buffer));
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #compress(): void {
    const [w, state] = [this.#words, this.#state];
    for (let at = 0; at < 16; at += 1) w[at] = this.#view.getUint32(at * 4);
    for (let at = 16; at < 64; at += 1) {
      const [x, y] = [w[at - 15] as number, w[at - 2] as number];
      const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      w[at] = (w[at - 16] as number) + small0 + (w[at - 7] as number) + small1;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
    for (let at = 0; at < 64; at += 1) {
      const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + big1 + ((e & f) ^ (~e & g)) + (K[at] as number) + (w[at] as number)) | 0;
      const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] as number) + value;
    this.#filled = 0;
  }
}

type Eight = [number, number, number, number, number, number, number, number];
const rotate = (value: number, bits: number) => (value >>> bits) | (value << (32 - bits));

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes;
}
