import { eventually } from '../../support/api.ts';
import { replies } from '../../support/model-server.ts';
import { demoImage } from '../../support/images.ts';
import { own } from './stack.ts';

/** A file that waits for its model from the start, so that no test has to wait a minute until it is stuck. */
export const overdue = await waitingFile();

async function waitingFile() {
  const { client } = await own.newTenant();
  // Longer than all of the tests take.
  own.model.next(replies.rateLimited('3600'));
  const fileId = await client.ingest({ bytes: demoImage('chelsea.jpg') });
  await eventually(async () => {
    if (own.model.requests.length === 0) throw new Error('the model has not been called yet');
  });
  return { client, fileId };
}
