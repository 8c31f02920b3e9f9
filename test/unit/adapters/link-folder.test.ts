import assert from 'node:assert/strict';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { linkFolder } from '../../../engines/text-recogniser/language-data.ts';

const given = process.env['TMPDIR'];
const room = realpathSync(mkdtempSync(join(tmpdir(), 'darkroom-test-')));
const files = ['one.gz', 'two.gz'].map((name) => join(room, name));

describe('a folder of links', () => {
  before(() => {
    process.env['TMPDIR'] = room;
    for (const file of files) writeFileSync(file, file);
  });
  after(() => {
    if (given === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = given;
    rmSync(room, { recursive: true });
  });
  const folders = () => readdirSync(room).filter((name) => name.startsWith('linked-'));

  test('equal sets of files share one folder of links', () => {
    const folder = linkFolder('linked', files);
    assert.deepEqual(
      readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
      files,
    );
    assert.equal(linkFolder('linked', files), folder);
    assert.equal(folders().length, 1);
    assert.notEqual(linkFolder('linked', files.slice(1)), folder);
  });

  test('a folder that another user has tampered with is rejected', () => {
    const folder = linkFolder('linked', files);
    rmSync(join(folder, 'one.gz'));
    symlinkSync(join(room, 'two.gz'), join(folder, 'one.gz'));
    assert.throws(() => linkFolder('linked', files), /not a link to/);
    rmSync(folder, { recursive: true });
    symlinkSync(room, folder);
    assert.throws(() => linkFolder('linked', files), /not ours/);
  });
});
