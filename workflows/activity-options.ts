import {
  ActivityCancellationType,
  type ActivityOptions,
  type LocalActivityOptions,
} from '@temporalio/workflow';

/**
 * Options by class of work. Cancellation waits for the activity to stop, so that what it did is in the history
 * before the run decides what was finished and what was not.
 */

/** Small writes to Postgres beside the workflow. Two seconds and three tries; then they go out as `quickIo`. */
export const localWrite: LocalActivityOptions = {
  startToCloseTimeout: '2 s',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumAttempts: 3 },
};

/** Storage, database and network calls of well under a second: a restart of any server is ridden out. */
export const quickIo: ActivityOptions = {
  startToCloseTimeout: '20 s',
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/** A walk over many rows or objects that says after each page that it lives. Its schedule comes again: three tries. */
export const longIo: ActivityOptions = {
  startToCloseTimeout: '30 min',
  heartbeatTimeout: '2 min',
  retry: { initialInterval: '5 s', backoffCoefficient: 2, maximumInterval: '1 min', maximumAttempts: 3 },
};

/**
 * Decoding and rendering. How often a picture may kill its decoder is the activity's own count (activities/attempt.ts),
 * because an outage of a server must not use it up. The worker heartbeats each second; ten seconds of silence mean that
 * it is gone.
 */
export const cpuBound: ActivityOptions = {
  startToCloseTimeout: '2 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Model calls. An outage of the provider is a pause, not a failure: there is no limit of attempts. A reply that says
 * when to come back overrides the interval.
 */
export const vision: ActivityOptions = {
  startToCloseTimeout: '2 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
};

/** Text recognition. A page full of small print takes a recogniser half a minute on a free core; it may take three. */
export const ocr: ActivityOptions = { ...cpuBound, startToCloseTimeout: '5 min' };

/**
 * Writes to the vector index: milliseconds, but one at a time when the index is embedded. It may be down for as long
 * as it must.
 */
export const indexing: ActivityOptions = {
  startToCloseTimeout: '1 min',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};

/**
 * Looking at an upload of any size: five terabytes take hours to be read once. It may wait for the store as long as it
 * must, and stops soon after an abort.
 */
export const verification: ActivityOptions = {
  startToCloseTimeout: '24 h',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
};
