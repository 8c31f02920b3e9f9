import {
  ActivityCancellationType,
  type ActivityOptions,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import type { IndexName } from '../temporal/contract/indexes.ts';

/**
 * Options by class of work. Cancellation waits for the activity to stop, so that its result is recorded
 * before the run determines the completed steps.
 */

/** Small writes to Postgres. Three attempts of at most two seconds each, then scheduled as `quickIo`. */
export const localWrite: LocalActivityOptions = {
  startToCloseTimeout: '2 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumAttempts: 3 },
};

/** Storage, database and network calls of well under a second, retried through a restart of any server. */
export const quickIo: ActivityOptions = {
  startToCloseTimeout: '20 s',
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/** A scan of many rows or objects that heartbeats after each page. Three attempts, as its schedule will run again. */
export const longIo: ActivityOptions = {
  startToCloseTimeout: '30 min',
  heartbeatTimeout: '2 min',
  retry: { initialInterval: '5 s', backoffCoefficient: 2, maximumInterval: '1 min', maximumAttempts: 3 },
};

/**
 * A search that an activity repeats for a number of seconds. The engine hands it to another worker ten seconds after
 * the last heartbeat of its own.
 */
export function repeating(seconds: number): ActivityOptions {
  return {
    startToCloseTimeout: `${seconds + 300} s`,
    heartbeatTimeout: '10 s',
    retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
  };
}

/**
 * Reading, decoding and rendering, including the wait for a reader or decoder of the worker. Processor time
 * bounds the work on a file (adapters/task-child.ts); the limit here only prevents endless waiting. The
 * activity counts decoder crashes (activities/attempt.ts), because server outages must not count. The worker
 * heartbeats each second; after ten seconds of silence it is considered lost.
 */
export const cpuBound: ActivityOptions = {
  startToCloseTimeout: '30 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Decoding a video. Progress is saved every few seconds, and a later attempt resumes from there; processor
 * time bounds each video (engines/video-reader).
 */
export const videoDecoding: ActivityOptions = { ...cpuBound, startToCloseTimeout: '24 h' };

/**
 * Model calls. An outage of the provider is waited out, not a failure: there is no attempt limit. A
 * `Retry-After` in the reply overrides the interval.
 */
export const vision: ActivityOptions = {
  startToCloseTimeout: '2 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
};

/** Text recognition. A page of small print takes half a minute; the recogniser allows a minute of processor time. */
export const ocr: ActivityOptions = { ...cpuBound };

/**
 * Writes to the vector index: milliseconds, but one at a time when the index is embedded. Outages are retried without
 * limit.
 */
export const indexing: ActivityOptions = {
  startToCloseTimeout: '1 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Embedding the chunks of a document (thousands for a book) and writing them to the vector index. Progress is
 * recorded after each batch, and a later attempt resumes from there. Outages are retried without limit.
 */
export const embedding: ActivityOptions = { ...indexing, startToCloseTimeout: '4 h' };

/** Work on the entries of a file in an index. */
export const INDEX_OPTIONS: Readonly<Record<IndexName, ActivityOptions>> = {
  images: indexing,
  chunks: embedding,
};

/**
 * Verifying an upload of any size: reading five terabytes takes hours. Outages of the store are retried without limit;
 * an abort takes effect within seconds.
 */
export const verification: ActivityOptions = {
  startToCloseTimeout: '24 h',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Fetching from a site that a client has named. Three attempts, counted by the activity
 * (activities/attempt.ts), because outages of foreign sites are not waited out; outages of our own servers do
 * not count.
 */
export const webFetch: ActivityOptions = {
  startToCloseTimeout: '2 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 3, maximumInterval: '30 s' },
};

/**
 * Fetching a URL named by a client and reading its content, including the wait for a parser or decoder of the
 * worker. The fetch and the processor time have their own limits; the limit here only prevents endless
 * waiting.
 */
export const webReading: ActivityOptions = {
  ...webFetch,
  startToCloseTimeout: '30 min',
};

/**
 * One attempt to send an event to a webhook, which takes at most 15 seconds; a failed one is a result. Retried for
 * outages of our own servers.
 */
export const webhook: ActivityOptions = {
  startToCloseTimeout: '1 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Sending an email. An outage of the mail server is waited out: attempts are unlimited within the workflow's
 * day. The slowest servers take a minute to accept one.
 */
export const mail: ActivityOptions = {
  startToCloseTimeout: '90 s',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '5 min' },
};

/**
 * A round of an import, which ends after some minutes; a file that is being fetched then may take hours. Outages of our
 * own servers are retried without limit; the source is waited for by the workflow.
 */
export const importing: ActivityOptions = {
  startToCloseTimeout: '48 h',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Writing an export. Each finished part is recorded, and a later attempt resumes with the next. Outages and
 * rate limits of a provider are retried without limit; a `Retry-After` overrides the interval.
 */
export const exporting: ActivityOptions = {
  startToCloseTimeout: '12 h',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '1 min' },
};
