import { z } from 'zod';
import { fieldError, errorCode } from '../http/problem.ts';
import { count, filename, timestamp } from '../resources/fields.ts';
import { sessionRecord } from '../resources/upload-session/schema.ts';
import { ITEM_STATUSES } from '../../services/upload-sessions/read-items.ts';

/** The name of a channel in a command. */
export const channelName = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: '`websocket_channel` of an upload session' });

/** What a client may send on a live connection. */
export const liveCommand = z
  .discriminatedUnion('action', [
    z
      .strictObject({
        action: z.literal('subscribe'),
        channel: channelName,
        after_seq: z
          .int()
          .min(0)
          .max(Number.MAX_SAFE_INTEGER)
          .nullish()
          .meta({ description: 'The last `seq` that you saw; if you missed changes, a snapshot follows' }),
      })
      .meta({ id: 'SubscribeCommand' }),
    z
      .strictObject({ action: z.literal('unsubscribe'), channel: channelName })
      .meta({ id: 'UnsubscribeCommand' }),
  ])
  .meta({
    id: 'LiveCommand',
    description: 'What a client sends on a live connection',
    // Each of them is closed; stated again for readers who look at the union alone.
    override: { unevaluatedProperties: false },
    examples: [{ action: 'subscribe', channel: 'batch.0b2e6f9a-7c1d-4e58-9a36-5f1c8d2b7e40' }],
  });
export type Command = z.output<typeof liveCommand>;

const envelope = {
  channel: z.string().meta({ description: '`websocket_channel` of the upload session' }),
  seq: count.meta({
    description: 'Version of the session: never decreases, and is the same on every replica',
  }),
  timestamp: timestamp.meta({ description: 'When it was sent' }),
};
const record = sessionRecord;

const frames = [
  z
    .object({ ...envelope, type: z.literal('snapshot'), data: record })
    .meta({ id: 'SnapshotFrame', description: 'The state of the session, to a new subscriber' }),
  z
    .object({
      ...envelope,
      type: z.literal('file.status'),
      data: z
        .object({
          index: count.meta({ description: 'Position of the file in its batch, from 0' }),
          filename,
          file_id: z.uuid().nullable().meta({ description: 'Null until the file is stored' }),
          status: z.enum(ITEM_STATUSES).meta({ description: 'Of this file' }),
        })
        .meta({ description: 'One file of the session' }),
    })
    .meta({ id: 'FileStatusFrame', description: 'The status of one file has changed' }),
  z
    .object({ ...envelope, type: z.literal('batch.progress'), data: record })
    .meta({ id: 'BatchProgressFrame', description: 'The state of the session, after a change' }),
  z
    .object({ ...envelope, type: z.literal('batch.terminal'), data: record })
    .meta({ id: 'BatchTerminalFrame', description: 'The last state of the session; the channel closes' }),
] as const;

/** One message of a session's live channel. */
export const uploadSessionFrame = z
  .discriminatedUnion('type', frames)
  .meta({ id: 'UploadSessionFrame', description: 'One message of the live channel of an upload session' });
export type FrameType = z.output<typeof uploadSessionFrame>['type'];

const notice = {
  channel: z
    .string()
    .nullable()
    .meta({ description: 'The channel asked for; null if the message named none' }),
  seq: z.literal(0).meta({ description: 'Not part of the state of a session' }),
  timestamp: envelope.timestamp,
};

/** What the server may send on a live connection. */
export const liveMessage = z
  .discriminatedUnion('type', [
    ...frames,
    z
      .object({
        ...notice,
        type: z.literal('unsubscribed'),
        data: z.object({}).meta({ description: 'Empty' }),
      })
      .meta({ id: 'UnsubscribedNotice', description: 'Answers `unsubscribe`' }),
    z
      .object({
        ...notice,
        type: z.literal('not_found'),
        data: z
          .object({ detail: z.string().meta({ description: 'For people' }) })
          .meta({ description: 'Why' }),
      })
      .meta({ id: 'NotFoundNotice', description: "There is no such channel, or it is another tenant's" }),
    z
      .object({
        ...notice,
        type: z.literal('error'),
        data: z
          .object({
            code: errorCode,
            detail: z.string().meta({ description: 'For people: the problem and the next step' }),
            errors: z.array(fieldError).optional().meta({ description: 'The wrong fields of the command' }),
          })
          .meta({ description: 'Why' }),
      })
      .meta({ id: 'ErrorNotice', description: 'A command was refused, or a channel broke' }),
  ])
  .meta({ id: 'LiveMessage', description: 'What the server sends on a live connection' });
