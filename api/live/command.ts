import type { RawData } from 'ws';
import { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';
import { validate } from '../http/validate.ts';
import { channelName, liveCommand, type Command } from './messages.ts';

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
  return validate(liveCommand, message, 'message');
}

/** The channel that a message names, also if it is no valid command otherwise. */
export function channelIn(message: unknown): string | null {
  return z.object({ channel: channelName }).safeParse(message).data?.channel ?? null;
}
