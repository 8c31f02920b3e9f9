import type { RawData } from 'ws';
import { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';
import { validate } from '../http/validate.ts';

const channel = z.string().min(1).max(100);

const command = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('subscribe'),
    channel,
    /** The last `seq` that the client has seen; changes since then are sent as a snapshot. */
    after_seq: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  }),
  z.strictObject({ action: z.literal('unsubscribe'), channel }),
]);
export type Command = z.output<typeof command>;

/**
 * Parses a client's message on a live connection.
 *
 * @throws AppError BAD_REQUEST for anything but JSON text, VALIDATION_FAILED
 */
export function readCommand(data: RawData, isBinary: boolean): Command {
  let value: unknown;
  try {
    if (isBinary) throw new Error('binary');
    value = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '');
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'a message must be JSON text', {}, { cause });
  }
  return validate(command, value, 'message');
}
