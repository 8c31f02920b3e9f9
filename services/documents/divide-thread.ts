/** The thread that divides one long document. */
import { parentPort, workerData } from 'node:worker_threads';
import { divide, type DividedDocument } from './divide-document.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
parentPort?.postMessage(divide(workerData as DividedDocument));
