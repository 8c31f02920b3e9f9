import { z } from 'zod';
import { MAX_EVENT_DATA_BYTES } from '../../domain/limits.ts';
import { jsonObject, timestamp } from './fields.ts';

const line = (max: number) => z.string().max(max, `at most ${max} characters`);

/**
 * Unlike in other bodies, unknown fields and keys named `__proto__` are ignored: logging the event matters
 * more than its exact form.
 */
export const logEventBody = z.object({
  event_type: line(100).min(1).describe('Name of the event'),
  message: line(2000).min(1).describe('The event in words'),
  data: jsonObject
    .refine(
      (data) => Buffer.byteLength(JSON.stringify(data)) <= MAX_EVENT_DATA_BYTES,
      `at most ${MAX_EVENT_DATA_BYTES / 1024} KB as JSON`,
    )
    .nullish()
    .describe('Further facts about the event'),
  timestamp: z
    .union([line(100), z.number()])
    .nullish()
    .describe('Client clock'),
  session_id: line(100).nullish().describe('Upload session that it belongs to'),
  file_index: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .nullish()
    .describe('Position of the file in its batch, from 0'),
  file_name: line(500).nullish().describe('Name of the file on the client'),
});

export const logEventAnswer = z
  .object({
    status: z.literal('logged').describe('Always `logged`'),
    timestamp: timestamp.describe('When it was received'),
  })
  .meta({ id: 'LoggedEvent' });
