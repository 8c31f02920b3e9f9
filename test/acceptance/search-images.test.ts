import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { uniqueImage } from '../support/images.ts';

const run = sharedRun();
const client = createClient(run);
const stranger = createClient(run, run.tenants.starter.api_key);

/** A word that no other file has. */
const newWord = (): string => `zq${randomUUID().replaceAll(/[^a-z]/g, '')}`;
const ids = ({ body }: Json): string[] => body.files.map((file: Json) => file.file_id);
const search = (query: string, more: object = {}) =>
  client.post('/files/search', { query, media_types: ['image', 'video'], ...more });

test('without a model for images, a search finds them by their words, and says so', async () => {
  const [bicycle, wall, other] = [newWord(), newWord(), newWord()];
  const fields = [
    { title: `${bicycle} ${wall}`, tags: 'street' },
    { title: `An empty ${wall}` },
    { title: other, tags: bicycle },
  ];
  const uploads = await Promise.all(
    fields.map(async (one) => client.ingest({ bytes: await uniqueImage(), fields: one })),
  );
  const [both, wallOnly, tagged] = uploads;
  await Promise.all(uploads.map((id) => client.settled(id)));

  const found = await search(`${bicycle} ${wall}`);
  assert.equal(found.status, 200, JSON.stringify(found.body));
  assert.equal(found.body.files_ranked_by, 'words');
  assert.deepEqual([found.body.items, found.body.ranked_by, found.body.total_count], [[], null, 0]);
  assert.equal(ids(found)[0], both, 'all words come before some');
  assert.deepEqual(ids(found).toSorted(), [both, wallOnly, tagged].toSorted());
  const [first] = found.body.files;
  assert.equal(first.media_type, 'image');
  assert.deepEqual([first.title, first.tags[0]], [`${bicycle} ${wall}`, 'street']);
  assert.deepEqual([first.found_by, first.similarity_score], ['words', null]);
  assert.equal((await fetch(first.thumbnail_url)).status, 200);

  // A question with stop words, of which one word is in no file.
  assert.deepEqual(ids(await search(`Where is the ${bicycle} of ${newWord()} with the ${wall}?`))[0], both);
  assert.deepEqual(ids(await search(`${bicycle} ${wall}`, { limit: 1 })), [both]);
  assert.deepEqual(ids(await search(newWord())), []);
  assert.deepEqual(ids(await search('?!')), []);

  const { body: foreign } = await stranger.post('/files/search', {
    query: `${bicycle} ${wall}`,
    media_types: ['image'],
  });
  assert.deepEqual(foreign.files, []);

  assert.equal((await client.delete(`/files/${both}`)).status, 200);
  assert.ok(!ids(await search(`${bicycle} ${wall}`)).includes(both ?? ''));
});

test('media types choose what is searched: passages of documents and links, or images and videos', async () => {
  const word = newWord();
  const [text, image] = await Promise.all([
    client.ingest({
      bytes: Buffer.from(`The manual explains the ${word} of the pump.`),
      filename: 'pump.txt',
    }),
    client.ingest({ bytes: await uniqueImage(), fields: { title: word } }),
  ]);
  await Promise.all([client.settled(text), client.settled(image)]);
  const found = async (mediaTypes?: string[] | null) => {
    const { status, body } = await client.post('/files/search', { query: word, media_types: mediaTypes });
    assert.equal(status, 200, JSON.stringify(body));
    const passages: string[] = body.items.map((item: Json) => item.document_id);
    return {
      passage: passages[0] === text,
      file: ids({ body }).includes(image),
      ranked: [body.ranked_by !== null, body.files_ranked_by !== null],
    };
  };
  const passages = { passage: true, file: false, ranked: [true, false] };
  assert.deepEqual(await found(), passages);
  assert.deepEqual(await found(null), passages);
  assert.deepEqual(await found(['document']), passages);
  assert.deepEqual(await found(['link']), { passage: false, file: false, ranked: [true, false] });
  assert.deepEqual(await found(['image']), { passage: false, file: true, ranked: [false, true] });
  assert.deepEqual(await found(['video']), { passage: false, file: false, ranked: [false, true] });
  assert.deepEqual(await found(['image', 'document', 'link']), {
    passage: true,
    file: true,
    ranked: [true, true],
  });
  assert.deepEqual(await found([]), { passage: false, file: false, ranked: [false, false] });
  const unknown = await client.post('/files/search', { query: word, media_types: ['audio'] });
  assert.equal(unknown.status, 422);
});
