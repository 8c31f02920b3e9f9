import { z } from 'zod';
import { MAX_EVENT_DATA_BYTES } from '../../../domain/limits.ts';
import { timestamp } from '../fields.ts';

const line = (max: number) => z.string().max(max, `at most ${max} characters`);

/** Unlike in other bodies, unknown fields and keys named `__proto__` are ignored: a log line beats a refusal. */
export const logEventBody = z.object({
  event_type: line(100).min(1),
  message: line(2000).min(1),
  data: z
    .record(z.string(), z.unknown())
    .refine(
      (data) => Buffer.byteLength(JSON.stringify(data)) <= MAX_EVENT_DATA_BYTES,
      `at most ${MAX_EVENT_DATA_BYTES / 1024} KB as JSON`,
    )
    .nullish(),
  timestamp: z
    .union([line(100), z.number()])
    .nullish()
    .meta({ description: 'Client clock' }),
  session_id: line(100).nullish(),
  file_index: z.number().int().min(0).max(10_000).nullish(),
  file_name: line(500).nullish(),
});

export const logEventAnswer = z
  .object({
    status: z.literal('logged'),
    timestamp: timestamp.meta({ description: 'When it was received' }),
  })
  .meta({ id: 'LoggedEvent' });
