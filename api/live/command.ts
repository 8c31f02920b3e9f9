import type { RawData } from 'ws';
import { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';
import { optionalWith } from '../../domain/schemas/absent.ts';
import { validate } from '../http/validate.ts';

const channel = z.string().min(1).max(100);

const command = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('subscribe'),
    channel,
    /** The last `seq` that the client has seen; changes since then are sent as a snapshot. */
    after_seq: optionalWith(z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), 0),
  }),
  z.strictObject({ action: z.literal('unsubscribe'), channel }),
]);
export type Command = z.output<typeof command>;

/**
 * Parses a client's message on a live connection.
 *
 * @throws AppError BAD_REQUEST for anything but JSON text
 */
export function readMessage(data: RawData, isBinary: boolean): unknown {
  try {
    if (isBinary) throw new Error('binary');
    return JSON.parse(Buffer.isBuffer(data) ? data.toString() : '');
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'a message must be JSON text', {}, { cause });
  }
}

/** @throws AppError VALIDATION_FAILED */
export function readCommand(message: unknown): Command {
  return validate(command, message, 'message');
}

/** The channel that a message names, also if it is no valid command otherwise. */
export function channelIn(message: unknown): string | null {
  return z.object({ channel }).safeParse(message).data?.channel ?? null;
}
