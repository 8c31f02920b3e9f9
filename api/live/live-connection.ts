import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { MAX_LIVE_SUBSCRIPTIONS } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import { outage } from '../../services/shared/outage.ts';
import type { ApiDeps } from '../deps.ts';
import type { AccessCheck } from './check-access.ts';
import type { LiveFrame } from './channel.ts';
import { followChannel } from './follow-channel.ts';
import { channelField, liveCommand, type Command } from './messages.ts';
import { openNamedChannel } from './open-channel.ts';
import { z } from 'zod';
import { validate } from '../http/validate.ts';

/** Maximum number of queued commands; no client needs more. */
const MAX_WAITING = 100;
const POLICY_VIOLATION = 1008;

export interface LiveConnectionDeps extends Pick<
  ApiDeps,
  'orm' | 'engine' | 'objects' | 'channelChanges' | 'livePolls' | 'draining'
> {
  log: Logger;
  tenantId: string;
  /** A client that has not answered a ping by the next one is considered dead. */
  pingMs: number;
  checkAccess: AccessCheck;
}

interface Subscribed {
  stop: AbortController;
  done: Promise<void>;
}

/**
 * One client of the live channels. Commands run sequentially. The frames of a channel are sent one at a time, each
 * after the previous one has been written: a slow client costs the memory of one frame per channel, and skips
 * intermediate states.
 */
export class LiveConnection {
  readonly #socket: WebSocket;
  readonly #deps: LiveConnectionDeps;
  readonly #channels = new Map<string, Subscribed>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #alive = true;

  constructor(socket: WebSocket, deps: LiveConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
  }

  /** Serves the client until either side closes. */
  serve(): void {
    const socket = this.#socket;
    const beat = setInterval(() => void this.#beat(), this.#deps.pingMs);
    socket.on('message', (data, isBinary) => this.#queue(data, isBinary));
    socket.on('pong', () => (this.#alive = true));
    socket.on('error', (error) => this.#deps.log.debug({ err: error }, 'a live connection broke'));
    socket.once('close', () => {
      clearInterval(beat);
      for (const { stop } of this.#channels.values()) stop.abort();
    });
  }

  async #beat(): Promise<void> {
    if (!this.#alive) return this.#socket.terminate();
    this.#alive = false;
    this.#socket.ping();
    await this.#mayGoOn().catch((error: unknown) =>
      // No frame is sent before an access check has succeeded.
      this.#deps.log.warn({ err: error }, 'the access of a live connection could not be checked'),
    );
  }

  /** Whether the client still has the access that it connected with; otherwise the connection closes. */
  async #mayGoOn(): Promise<boolean> {
    const refusal = await this.#deps.checkAccess();
    if (!refusal) return true;
    for (const { stop } of this.#channels.values()) stop.abort();
    this.#socket.close(POLICY_VIOLATION, refusal.message.slice(0, 120));
    return false;
  }

  #queue(data: RawData, isBinary: boolean): void {
    this.#waiting += 1;
    if (this.#waiting > MAX_WAITING) return this.#socket.close(POLICY_VIOLATION, 'too many messages at once');
    this.#turn = this.#turn.then(async () => {
      if (this.#socket.readyState === this.#socket.OPEN) await this.#handle(data, isBinary);
      this.#waiting -= 1;
    });
  }

  async #handle(data: RawData, isBinary: boolean): Promise<void> {
    let channel: string | null = null;
    try {
      const message = readMessage(data, isBinary);
      channel = channelIn(message);
      const command = readCommand(message);
      if (!(await this.#mayGoOn())) return;
      await this.#leave(command.channel);
      if (command.action === 'subscribe') await this.#subscribe(command);
      else await this.#send(notice(command.channel, 'unsubscribed', {}));
    } catch (error) {
      await this.#refuse(channel, error);
    }
  }

  async #subscribe({ channel, after_seq: after }: Extract<Command, { action: 'subscribe' }>): Promise<void> {
    const { tenantId } = this.#deps;
    if (this.#channels.size >= MAX_LIVE_SUBSCRIPTIONS) {
      throw new AppError('TOO_MANY_CHANNELS', `a connection has ${MAX_LIVE_SUBSCRIPTIONS} channels at most`);
    }
    const opened = await openNamedChannel(this.#deps, channel, { tenantId, after: after ?? 0 });
    const stop = new AbortController();
    const frames = followChannel(this.#deps, opened, { tenantId, signal: stop.signal });
    // The first poll checks that the resource exists.
    const next = await frames.next();
    const first = next.done ? [] : next.value;
    if (this.#socket.readyState !== this.#socket.OPEN) return void (await frames.return());
    const done = this.#deliver(first, frames)
      .catch((error: unknown) => this.#refuse(channel, error))
      .finally(() => {
        if (this.#channels.get(channel)?.stop === stop) this.#channels.delete(channel);
      });
    this.#channels.set(channel, { stop, done });
  }

  async #deliver(first: readonly LiveFrame[], rest: ReturnType<typeof followChannel>): Promise<void> {
    const send = async (frames: readonly LiveFrame[]): Promise<void> => {
      if (frames.length === 0 || !(await this.#mayGoOn())) return;
      for (const frame of frames) await this.#send(frame);
    };
    try {
      await send(first);
      for await (const frames of rest) await send(frames);
    } finally {
      await rest.return();
    }
  }

  async #leave(channel: string): Promise<void> {
    const subscribed = this.#channels.get(channel);
    subscribed?.stop.abort();
    await subscribed?.done;
  }

  #refuse(channel: string | null, error: unknown): Promise<void> {
    if (error instanceof AppError && error.code === 'NOT_FOUND') {
      return this.#send(notice(channel, 'not_found', { detail: 'there is no such channel' }));
    }
    if (error instanceof AppError) {
      const { code, message, details } = error;
      const data = { code, detail: message, ...(details.errors && { errors: details.errors }) };
      return this.#send(notice(channel, 'error', data));
    }
    const down = outage(error);
    this.#deps.log[down ? 'warn' : 'error']({ err: error, channel }, 'a live channel broke');
    const code = down ? 'SERVICE_UNAVAILABLE' : 'INTERNAL';
    return this.#send(notice(channel, 'error', { code, detail: 'the channel broke; subscribe again' }));
  }

  /** Resolves when the frame was written or the write failed. */
  #send(frame: object): Promise<void> {
    return new Promise((resolve) => this.#socket.send(JSON.stringify(frame), () => resolve()));
  }
}

/** A message that is not part of a session's state, and hence has no `seq`. */
function notice(channel: string | null, type: 'unsubscribed' | 'not_found' | 'error', data: object) {
  return { channel, seq: 0, type, timestamp: new Date().toISOString(), data };
}

/**
 * Parses a client's message on a live connection.
 *
 * @throws AppError BAD_REQUEST for anything but JSON text
 */
function readMessage(data: RawData, isBinary: boolean): unknown {
  try {
    if (isBinary) throw new Error('binary');
    return JSON.parse(Buffer.isBuffer(data) ? data.toString() : '');
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'a message must be JSON text', {}, { cause });
  }
}

/** @throws AppError VALIDATION_FAILED */
function readCommand(message: unknown): Command {
  return validate(liveCommand, message, 'message');
}

/** The channel that a message names, even if the message is not a valid command. */
function channelIn(message: unknown): string | null {
  return z.object({ channel: channelField }).safeParse(message).data?.channel ?? null;
}
