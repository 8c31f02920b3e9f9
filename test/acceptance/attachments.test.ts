import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { minimalPdf } from '../support/documents.ts';
import { writeEml } from '../support/letters.ts';
import { uniqueImage } from '../support/images.ts';

/** The attachments of an e-mail are files of their own that belong to it. */
const client = createClient(sharedRun());
const unique = (name: string) => `${name}${randomUUID().slice(0, 8)}`;
const partsOf = async (id: string, more = ''): Promise<Json[]> =>
  (await client.get(`/files?parent_file_id=${id}${more}`)).body.items;
const names = (files: readonly Json[]): string[] => files.map(({ filename }) => filename).toSorted();

test('an e-mail is read, and its attachments are files in its folder, also those of a message in it', async () => {
  const [word, inner] = [unique('harbour'), unique('lantern')];
  const { body: folder } = await client.post('/folders', { name: unique('letters') });
  const bytes = writeEml('The mill', `<p>The ${word} is quiet.</p>`, [
    { filename: 'report.pdf', type: 'application/pdf', content: minimalPdf([`The ${word} report is long.`]) },
    { filename: 'photo.jpg', type: 'application/octet-stream', content: await uniqueImage() },
    { filename: 'day.ics', type: 'text/calendar', content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' },
    {
      type: 'message/rfc822',
      content: writeEml('Inner', `<p>The ${inner} was lit.</p>`, [
        { filename: 'note.txt', type: 'text/plain', content: `A note of the ${inner}.` },
      ]),
    },
  ]);
  const { status, body } = await client.upload({
    bytes,
    filename: 'mill.eml',
    fields: { folder_id: folder.id, tags: 'mill' },
  });
  assert.deepEqual([status, body.document_type], [201, 'eml'], JSON.stringify(body));
  const mail = await client.settled(body.file_id, 120);
  assert.deepEqual([mail.primary_status, mail.parent_file_id], ['completed', null], JSON.stringify(mail));
  assert.match(mail.extracted_text, new RegExp(`From: Ann Miller[^]*${word}`));
  const { body: digitization } = await client.get(`/files/${body.file_id}/digitization`);
  assert.match(digitization.reading_note, /Attachment day.ics is not stored: calendars are not accepted/);

  const parts = await partsOf(body.file_id);
  assert.deepEqual(names(parts), ['message.eml', 'photo.jpg', 'report.pdf']);
  for (const part of parts) {
    assert.deepEqual([part.folder_id, part.parent_file_id], [folder.id, body.file_id]);
    assert.ok(part.tags.includes('mill'), JSON.stringify(part.tags));
    assert.equal((await client.settled(part.id, 120)).primary_status, 'completed', JSON.stringify(part));
  }
  const message = parts.find(({ filename }) => filename === 'message.eml');
  const deeper = await partsOf(message?.id);
  assert.deepEqual(names(deeper), ['note.txt']);
  const note = await client.settled(deeper[0]?.id, 120);
  assert.match(note.extracted_text, new RegExp(inner));

  // Read again: nothing is stored twice.
  await client.post(`/files/${body.file_id}/retry`, {});
  await client.settled(body.file_id, 120);
  assert.equal((await partsOf(body.file_id)).length, 3);

  // What belongs to it goes with it, and comes back with it; what was deleted before does not.
  const photo = parts.find(({ filename }) => filename === 'photo.jpg');
  await client.request('DELETE', `/files/${photo?.id}`);
  await client.request('DELETE', `/files/${body.file_id}`);
  for (const { id } of [...parts, ...deeper]) assert.equal((await client.get(`/files/${id}`)).status, 404);
  assert.equal((await partsOf(body.file_id, '&deleted=true')).length, 3);
  const restored = await client.post(`/files/${body.file_id}/restore`, {});
  assert.equal(restored.status, 200, JSON.stringify(restored.body));
  await eventually(async () => {
    assert.deepEqual(names(await partsOf(body.file_id)), ['message.eml', 'report.pdf']);
    assert.deepEqual(names(await partsOf(message?.id)), ['note.txt']);
  });
});

test('an e-mail that is damaged or empty ends with a reason', async () => {
  const cases: [string, Buffer, RegExp][] = [
    [
      'deep.eml',
      Buffer.from(
        `Subject: x\r\nMessage-ID: <1@a>\r\n${Array.from({ length: 300 }, (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`).join('')}`,
      ),
      /nests too many parts/,
    ],
    ['cut.msg', Buffer.from('d0cf11e0a1b11ae1'.padEnd(2400, '0'), 'hex'), /has no text/],
  ];
  for (const [filename, bytes, reason] of cases) {
    const { status, body } = await client.upload({ bytes, filename });
    assert.equal(status, 201, JSON.stringify(body));
    const file = await client.settled(body.file_id, 120);
    assert.equal(file.primary_status, 'failed');
    assert.match(file.text_extraction_error, reason);
  }
});
