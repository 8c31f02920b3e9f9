import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc, { type Arbitrary } from 'fast-check';
import { type TokenEdits, mutateText, tokenEdits } from '../mutate.ts';
import { Finding, type Outcome, type Part } from '../run-part.ts';
import { JSON_TOKEN } from './json.ts';
import { judgeAnswer } from './operations.ts';
import { parseAnswer, renderRequest } from './raw-http.ts';
import { anyPrincipal, DEADLINE_MS, operationOf, type Target } from './target.ts';

/** A frame of RFC 6455, not necessarily a valid one. */
export interface Frame {
  final: boolean;
  /** The three reserved bits. */
  reserved: number;
  opcode: number;
  masked: boolean;
  /** Bytes of the length field: 0 takes the shortest form. */
  lengthBytes: 0 | 2 | 8;
  /** The declared length, if not that of the payload. */
  declared: bigint | undefined;
  payload: Uint8Array;
}

interface LiveInput {
  principal: string;
  /** Headers of the handshake that replace the valid ones. */
  handshake: Record<string, string>;
  /** Commands whose JSON is edited. */
  frames: (Frame | { command: TokenEdits })[];
}

const MASK = Buffer.from([0x11, 0x22, 0x33, 0x44]);
const [TEXT, CLOSE] = [1, 8];
/** How long the answer to the last command is waited for; none comes if the frames before it are out of step. */
const ANSWER_MS = 300;
/** The server gives clients three seconds to close. */
const CLOSE_MS = 20_000;
const LAST_CHANNEL = 'file.ffffffff-ffff-4fff-bfff-ffffffffffff';
const DEFECTS = ['INTERNAL', 'SERVICE_UNAVAILABLE'];

export function encodeFrame({
  final,
  reserved,
  opcode,
  masked,
  lengthBytes,
  declared,
  payload,
}: Frame): Buffer {
  const length = declared ?? BigInt(payload.length);
  const form = lengthBytes || (length < 126n ? 0 : length < 65_536n ? 2 : 8);
  const extended = Buffer.alloc(form);
  if (form === 2) extended.writeUInt16BE(Number(length & 0xffffn));
  if (form === 8) extended.writeBigUInt64BE(length & 0xffff_ffff_ffff_ffffn);
  const short = form === 0 ? Number(length & 0x7fn) : form === 2 ? 126 : 127;
  const head = [(final ? 0x80 : 0) | (reserved << 4) | opcode, (masked ? 0x80 : 0) | short];
  const body = masked ? payload.map((byte, at) => byte ^ (MASK[at % 4] ?? 0)) : payload;
  return Buffer.concat([Buffer.from(head), extended, masked ? MASK : Buffer.alloc(0), body]);
}

/** The frames of a server, as far as they are complete. @throws Finding for a frame that a server must not send */
export function decodeFrames(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const frames: { opcode: number; payload: Buffer }[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2);
    if ((first & 0x70) !== 0 || second >= 0x80)
      throw new Finding('an invalid frame', bytes.toString('hex', at, at + 64));
    const form = second === 126 ? 2 : second === 127 ? 8 : 0;
    const start = at + 2 + form;
    if (start > bytes.length) break;
    const length = form === 0 ? second : bytes.readUIntBE(form === 2 ? at + 2 : at + 4, form === 2 ? 2 : 6);
    if (start + length > bytes.length) break;
    frames.push({ opcode: first & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return frames;
}

const textFrame = (text: string): Frame => ({
  final: true,
  reserved: 0,
  opcode: TEXT,
  masked: true,
  lengthBytes: 0,
  declared: undefined,
  payload: Buffer.from(text),
});

/** Frames with random bits, lengths, fragments and payloads, and commands with edited JSON, on a live connection. */
export function livePart(target: Target): Part<LiveInput> {
  const command = JSON.stringify({ action: 'subscribe', channel: `file.${target.fileId}`, after_seq: 0 });
  const bytesOf = ({ frames }: LiveInput): Buffer =>
    Buffer.concat(
      frames.map((frame) =>
        encodeFrame('command' in frame ? textFrame(mutateText(command, JSON_TOKEN, frame.command)) : frame),
      ),
    );
  const handshakeOf = ({ principal, handshake }: LiveInput, withCredentials: boolean): Buffer =>
    renderRequest(
      {
        method: 'GET',
        target: `${target.prefix}/ws`,
        headers: {
          ...(withCredentials && target.principals.get(principal)?.headers),
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          ...handshake,
        },
        body: Buffer.alloc(0),
        framing: 'exact',
      },
      target.origin.host,
    );
  return {
    name: 'live',
    deadlineMs: DEADLINE_MS,
    inputs: fc.record({
      principal: anyPrincipal(target),
      handshake: handshake(),
      frames: fc.array(
        fc.oneof(frame(), fc.record({ command: fc.oneof(fc.constant([]), tokenEdits(VOCABULARY)) })),
        { maxLength: 12 },
      ),
    }),
    handle: (input) => follow(target, handshakeOf(input, true), bytesOf(input)),
    save: (input) =>
      Promise.resolve({
        extension: 'ws',
        bytes: Buffer.concat([handshakeOf(input, false), bytesOf(input)]),
      }),
  };
}

const VOCABULARY = [
  ...'"subscribe" "unsubscribe" "action" "channel" "after_seq" "__proto__" null -1 1e999 {} [ "file.%00" "."'.split(
    ' ',
  ),
  '"batch.00000000-0000-4000-8000-000000000000"',
  '"export.x"',
  '"extraction."',
  String.raw`"\ud800"`,
  '['.repeat(4000),
  'x'.repeat(5000),
];

function handshake(): Arbitrary<Record<string, string>> {
  const changed = fc.constantFrom<Record<string, string>>(
    { 'Sec-WebSocket-Version': '12' },
    { 'Sec-WebSocket-Version': '' },
    { 'Sec-WebSocket-Key': 'x' },
    { 'Sec-WebSocket-Key': '' },
    { Upgrade: 'h2c' },
    { Connection: 'close' },
    { Origin: 'https://example.org' },
    { 'Sec-WebSocket-Extensions': 'permessage-deflate; x="' },
    { 'Sec-WebSocket-Protocol': 'a, a, ,' },
  );
  return fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, changed);
}

function frame(): Arbitrary<Frame> {
  const usually = <T>(value: T, otherwise: Arbitrary<T>) =>
    fc.oneof({ weight: 19, arbitrary: fc.constant(value) }, otherwise);
  return fc.record({
    final: usually(true, fc.constant(false)),
    reserved: usually(0, fc.nat(7)),
    opcode: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(0, TEXT, 2, 9, 10) }, fc.nat(15)),
    masked: usually(true, fc.constant(false)),
    lengthBytes: usually<0 | 2 | 8>(0, fc.constantFrom<2 | 8>(2, 8)),
    declared: usually<bigint | undefined>(
      undefined,
      fc.constantFrom(
        0n,
        1n,
        125n,
        126n,
        4096n,
        4097n,
        65_536n,
        2n ** 31n,
        2n ** 53n,
        2n ** 63n,
        2n ** 64n - 1n,
      ),
    ),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 130 }),
      fc.constantFrom(0, 999, 1000, 1004, 1005, 1006, 1015, 1016, 2999, 4999, 65_535).map((code) => {
        const payload = Buffer.alloc(2);
        payload.writeUInt16BE(code);
        return payload;
      }),
      fc.constantFrom('{}', '"', '\uFFFF', 'x'.repeat(4097)).map((text) => Buffer.from(text)),
      fc.constantFrom('c328', 'eda080', 'f8a1a1a1a1', 'c0af').map((hex) => Buffer.from(hex, 'hex')),
    ),
  });
}

/** Opens a connection, sends the bytes and a last command, leaves, and judges what the server has sent. */
async function follow(target: Target, handshake: Buffer, bytes: Buffer): Promise<Outcome> {
  const { hostname, port } = target.origin;
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  try {
    const received = collect(socket);
    await received.ready;
    socket.write(handshake);
    const head = await received.until((all) => all.indexOf('\r\n\r\n') + 1, CLOSE_MS);
    if (!head.toString('latin1').startsWith('HTTP/1.1 101 ')) {
      // Without an upgrade, the server would keep the connection for another request.
      socket.end();
      const answer = await received.until(() => 0, CLOSE_MS);
      return judgeAnswer(operationOf(target, 'openLiveConnection'), parseAnswer(answer));
    }
    const start = head.indexOf('\r\n\r\n') + 4;
    const last = encodeFrame(textFrame(JSON.stringify({ action: 'unsubscribe', channel: LAST_CHANNEL })));
    socket.write(Buffer.concat([bytes, last]));
    await received.until((all) => all.includes(LAST_CHANNEL), ANSWER_MS);
    const wasOpen = !received.ended();
    socket.end(encodeFrame({ ...textFrame(''), opcode: CLOSE }));
    const all = await received.until(() => 0, CLOSE_MS);
    if (!received.ended()) throw new Finding('a connection that does not end', all.toString('latin1', start));
    return judgeFrames(decodeFrames(all.subarray(start)), wasOpen);
  } finally {
    socket.destroy();
  }
}

/** What a socket has received so far. */
function collect(socket: Socket) {
  let all = Buffer.alloc(0);
  const state = { ended: false };
  let wake = Promise.withResolvers<void>();
  const ready = once(socket, 'connect').catch((cause: unknown) => {
    throw new Finding('no connection', String(cause), { cause });
  });
  socket.on('data', (chunk) => {
    all = Buffer.concat([all, chunk]);
    wake.resolve();
  });
  for (const event of ['end', 'close', 'error'])
    socket.on(event, () => {
      state.ended = true;
      wake.resolve();
    });
  return {
    ready,
    ended: () => state.ended,
    /** Waits for a condition, the end of the connection, or the time. @returns all bytes */
    async until(isEnough: (all: Buffer) => boolean | number, milliseconds: number): Promise<Buffer> {
      const stop = new AbortController();
      const time = delay(milliseconds, 'late', { signal: stop.signal }).catch(() => 'late');
      while (!state.ended && !isEnough(all)) {
        wake = Promise.withResolvers();
        if ((await Promise.race([wake.promise, time])) === 'late') break;
      }
      stop.abort();
      return all;
    },
  };
}

/** @throws Finding for a message of another shape, a defect, a close code that servers must not send, or none */
function judgeFrames(frames: readonly { opcode: number; payload: Buffer }[], wasOpen: boolean): Outcome {
  let refused: string | undefined;
  for (const { opcode, payload } of frames) {
    if (opcode === CLOSE) {
      const code = payload.length >= 2 ? payload.readUInt16BE() : 1000;
      if (!isCloseCode(code)) throw new Finding(`close code ${code}`, payload.toString('latin1', 2));
      return wasOpen ? outcomeOf(refused) : { result: 'refused', code: `close ${code}` };
    }
    if (opcode === TEXT) refused ??= codeOfNotice(payload.toString());
  }
  if (wasOpen) return outcomeOf(refused);
  throw new Finding('closed without a close frame', `${frames.length} frames`);
}

/** Whether a server may send the code, which may be that of the client; 1011 is an internal error. */
function isCloseCode(code: number): boolean {
  if (code >= 3000) return code < 5000;
  return code >= 1000 && code <= 1014 && ![1004, 1005, 1006, 1011].includes(code);
}

const outcomeOf = (refused: string | undefined): Outcome =>
  refused === undefined ? { result: 'accepted', code: 'open' } : { result: 'refused', code: refused };

/** The code of an error; undefined for other messages. */
function codeOfNotice(text: string): string | undefined {
  const { type, seq, timestamp, data } = JSON.parse(text) as Record<string, unknown>;
  if (typeof type !== 'string' || typeof seq !== 'number' || typeof timestamp !== 'string')
    throw new Finding('a message of another shape', text.slice(0, 2000));
  if (type !== 'error') return type === 'not_found' ? 'NOT_FOUND' : undefined;
  const { code } = data as { code?: unknown };
  if (typeof code !== 'string' || DEFECTS.includes(code))
    throw new Finding(`an error ${String(code)}`, text.slice(0, 2000));
  return code;
}
