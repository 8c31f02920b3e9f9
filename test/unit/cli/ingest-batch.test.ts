import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Journal } from '../../../cli/ingest/journal.ts';
import { createMeter } from '../../../cli/ingest/progress.ts';
import { sendBatch } from '../../../cli/ingest/send-batch.ts';
import { failureTable, Tally } from '../../../cli/ingest/tally.ts';
import { walkFolder } from '../../../cli/ingest/walk-folder.ts';
import { startFakeApi } from '../sdk/tiny-api.ts';

const home = mkdtempSync(join(tmpdir(), 'darkroom-batch-'));
after(() => rmSync(home, { recursive: true, force: true }));

test('a file that is edited during the upload of its batch fails alone', async (context) => {
  for (const name of ['a.jpg', 'b.jpg']) writeFileSync(join(home, name), name);
  const files = (await walkFolder(home)).files.map((file) => ({ ...file, sha256: file.path }));
  let requests = 0;
  const { client, seen } = await startFakeApi(context, () => [201, { session_id: 's', rejections: [] }], {
    fetch(request, init) {
      requests += 1;
      if (requests === 1) appendFileSync(join(home, 'b.jpg'), 'more');
      return fetch(request, init);
    },
  });
  const journal = await Journal.at(join(home, '.state.jsonl'));
  context.after(() => journal.close());
  const tally = new Tally();
  await sendBatch(
    {
      client,
      journal,
      tally,
      meter: createMeter(() => undefined),
      tags: [],
      describe: false,
      patienceMs: 1000,
      signal: new AbortController().signal,
      onPause: ({ message }) => assert.fail(message),
    },
    files,
  );
  assert.equal(tally.count('sent'), 1);
  assert.match(failureTable(tally).join('\n'), /b\.jpg .*CHANGED/);
  assert.match(seen.at(-1)?.body ?? '', /filename="a.jpg"/);
  assert.equal(requests, 2);
});
