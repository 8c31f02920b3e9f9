import type { RawData } from 'ws';
import { AppError } from '../../domain/app-error.ts';
import { validate } from '../http/validate.ts';
import { liveCommand, type Command } from './messages.ts';

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
  return validate(liveCommand, value, 'message');
}
