import { after } from 'node:test';
import { eventually } from '../../support/api.ts';
import { replies } from '../../support/model-server.ts';
import { startOwnStack } from '../../support/own-stack.ts';
import { demoPicture } from '../../support/pictures.ts';

/** Expiry of direct uploads: long enough for the tests, and reached before the last of them. */
export const DIRECT_UPLOAD_SECONDS = 40;

/** The stack whose API and workers the tests of this folder kill. Its servers are never down. */
export const own = await startOwnStack({
  UPLOAD_MEMORY_BYTES_PER_TENANT: '21000000',
  DIRECT_UPLOAD_SECONDS: String(DIRECT_UPLOAD_SECONDS),
});
after(() => own.stop());

/** A file that waits for its model from the start, so that a test need not wait a minute for it to be stuck. */
export const overdue = await waitingFile();

async function waitingFile() {
  const { client } = await own.newTenant();
  own.model.next(replies.rateLimited('600'));
  const fileId = await client.ingest({ bytes: demoPicture('chelsea.jpg') });
  await eventually(async () => {
    if (own.model.requests.length === 0) throw new Error('the model has not been asked');
  });
  return { client, fileId };
}
