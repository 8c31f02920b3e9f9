import { z } from 'zod';
import { channelName, type ChannelKind } from '../../domain/live-channels.ts';
import { fieldError, errorCode } from '../http/problem.ts';
import { componentField, count, filename, timestamp } from '../resources/fields.ts';
import { exportRecord } from '../resources/export/schema.ts';
import { processingStatus } from '../resources/processing/schema.ts';
import { extractionAnswer } from '../resources/structured-extraction.ts';
import { sessionRecord } from '../resources/upload-session/schema.ts';
import { ITEM_STATUSES } from '../../services/upload-sessions/read-items.ts';

/** The name of a channel in a command. */
export const channelField = z
  .string()
  .min(1)
  .max(100)
  .toLowerCase()
  .describe(
    '`file.`, `extraction.` or `export.` and the whole id, such as `file.0b2e6f9a-…`; or the `websocket_channel` of an upload session',
  );

/** Messages from a client on a live connection. */
export const liveCommand = z
  .discriminatedUnion('action', [
    z
      .strictObject({
        action: z.literal('subscribe').describe('Whether to begin or to end'),
        channel: channelField,
        after_seq: z
          .int()
          .min(0)
          .max(Number.MAX_SAFE_INTEGER)
          .nullish()
          .describe('The last `seq` that you saw; if you missed changes, a snapshot follows'),
      })
      .meta({ id: 'SubscribeCommand' }),
    z
      .strictObject({
        action: z.literal('unsubscribe').describe('Whether to begin or to end'),
        channel: channelField,
      })
      .meta({ id: 'UnsubscribeCommand' }),
  ])
  .meta({
    id: 'LiveCommand',
    description: 'A message from the client on a live connection',
    // Each member is closed; repeated for readers of the union alone.
    override: { unevaluatedProperties: false },
    examples: [{ action: 'subscribe', channel: 'file.0b2e6f9a-7c1d-4e58-9a36-5f1c8d2b7e40' }],
  });
export type Command = z.output<typeof liveCommand>;

const envelope = {
  channel: z.string().describe('`websocket_channel` of the upload session'),
  seq: count.describe('Version of the session: never decreases, and is the same on every replica'),
  timestamp: timestamp.describe('When it was sent'),
};
const record = sessionRecord;

const sessionFrames = [
  z
    .object({
      ...envelope,
      type: z.literal('snapshot').describe('Type of the message'),
      data: componentField(record, 'State of the session'),
    })
    .meta({ id: 'SnapshotFrame', description: 'The state of the session, to a new subscriber' }),
  z
    .object({
      ...envelope,
      type: z.literal('file.status').describe('Type of the message'),
      data: z
        .object({
          index: count.describe('Position of the file in its batch, from 0'),
          filename,
          file_id: z.uuid().nullable().describe('Id of the file; null until it is stored'),
          status: z.enum(ITEM_STATUSES).describe('Status of the file'),
        })
        .describe('One file of the session'),
    })
    .meta({ id: 'FileStatusFrame', description: 'The status of one file has changed' }),
  z
    .object({
      ...envelope,
      type: z.literal('batch.progress').describe('Type of the message'),
      data: componentField(record, 'State of the session'),
    })
    .meta({ id: 'BatchProgressFrame', description: 'The state of the session, after a change' }),
  z
    .object({
      ...envelope,
      type: z.literal('batch.terminal').describe('Type of the message'),
      data: componentField(record, 'State of the session'),
    })
    .meta({ id: 'BatchTerminalFrame', description: 'The last state of the session; the channel closes' }),
] as const;

/** One message of a session's live channel. */
export const uploadSessionFrame = z
  .discriminatedUnion('type', sessionFrames)
  .meta({ id: 'UploadSessionFrame', description: 'One message of the live channel of an upload session' });
export type FrameType = z.output<typeof uploadSessionFrame>['type'];

/** Schema of the messages of a resource's live channel; the state is that of its `GET` operation. */
function resourceFrame<S extends z.ZodType>(kind: Exclude<ChannelKind, 'batch'>, resource: S) {
  return z.object({
    channel: z
      .string()
      .regex(new RegExp(`^${kind}\\.`))
      .describe(`\`${channelName(kind, '')}\` and the id, in whole`),
    seq: count.describe('Version: never decreases, and is the same on every replica'),
    type: z
      .enum(['snapshot', `${kind}.status`, `${kind}.terminal`])
      .describe('The first message to a new subscriber, one after a change, or the last one'),
    timestamp: envelope.timestamp,
    data: componentField(resource, 'State at that time'),
  });
}

export const fileFrame = resourceFrame('file', processingStatus).meta({
  id: 'FileFrame',
  description: 'One message of the live channel of a file',
});
export const extractionFrame = resourceFrame('extraction', extractionAnswer).meta({
  id: 'ExtractionFrame',
  description: 'One message of the live channel of an extraction by a schema',
});
export const exportFrame = resourceFrame('export', exportRecord).meta({
  id: 'ExportFrame',
  description: 'One message of the live channel of an export',
});

const notice = {
  channel: z
    .string()
    .nullable()
    .describe('The channel that the command named, in lower case; null if it named none'),
  seq: z.literal(0).describe('Always 0: a notice has no place among the messages of a channel'),
  timestamp: envelope.timestamp,
};

/** Messages from the server on a live connection. */
export const liveMessage = z
  .union([
    uploadSessionFrame,
    fileFrame,
    extractionFrame,
    exportFrame,
    z
      .object({
        ...notice,
        type: z.literal('unsubscribed').describe('Type of the message'),
        data: z.object({}).describe('Always empty'),
      })
      .meta({ id: 'UnsubscribedNotice', description: 'Answers `unsubscribe`' }),
    z
      .object({
        ...notice,
        type: z.literal('not_found').describe('Type of the message'),
        data: z.object({ detail: z.string().describe('Human-readable reason') }).describe('The reason'),
      })
      .meta({ id: 'NotFoundNotice', description: "There is no such channel, or it is another tenant's" }),
    z
      .object({
        ...notice,
        type: z.literal('error').describe('Type of the message'),
        data: z
          .object({
            code: errorCode.describe('Machine-readable reason'),
            detail: z.string().describe('Human-readable problem and next step'),
            errors: z.array(fieldError).optional().describe('The invalid fields of the command'),
          })
          .describe('The reason'),
      })
      .meta({ id: 'ErrorNotice', description: 'A command was refused, or a channel broke' }),
  ])
  .meta({ id: 'LiveMessage', description: 'A message from the server on a live connection' });
