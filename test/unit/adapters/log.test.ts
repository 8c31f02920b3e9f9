import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../../../adapters/log/create-log.ts';

const SECRET = 'drk_1_secret';

/** The output of a log, one object per line. */
function written(write: (log: ReturnType<typeof createLog>) => void): { text: string; lines: Line[] } {
  let text = '';
  write(createLog({ level: 'trace', base: { service: 'test' } }, { write: (line) => (text += line) }));
  const lines = text.split('\n').filter(Boolean);
  return { text, lines: lines.map((line) => JSON.parse(line) as Line) };
}
type Line = Record<string, unknown> & { err: Record<string, unknown> };

test('an error is logged with type, message, code and stack, and so are its causes', () => {
  const cause = Object.assign(new TypeError('inner'), { code: 'ECONNRESET', headers: SECRET });
  const error = Object.assign(new RangeError('outer', { cause }), { rawPacket: Buffer.from(SECRET) });
  const { lines, text } = written((log) => log.warn({ err: error }, 'it failed'));
  assert.deepEqual(lines[0]?.err, {
    type: 'RangeError',
    message: 'outer',
    stack: error.stack,
    cause: { type: 'TypeError', message: 'inner', code: 'ECONNRESET', stack: cause.stack },
  });
  assert.ok(!text.includes(SECRET), text);
});

test('no other property of an error is logged, however the error is passed', () => {
  const held = fc.oneof(
    fc.constant(SECRET),
    fc.constant(Buffer.from(SECRET)),
    fc.dictionary(fc.string(), fc.constant(SECRET)),
    fc.array(fc.constant({ nested: [SECRET] })),
  );
  // Assigning __proto__ would replace the prototype, so that the object is no longer an error.
  const own = ['name', 'message', 'stack', 'code', 'cause', '__proto__'];
  const name = fc.string().filter((key) => !own.includes(key));
  fc.assert(
    fc.property(fc.dictionary(name, held), fc.string({ minLength: 1 }), (properties, key) => {
      const error = Object.assign(new Error('it broke'), properties);
      const { text } = written((log) => {
        log.error(error);
        log.error({ err: error }, 'text');
        log.error({ [key]: error }, 'text');
        log.error({ outer: [{ [key]: error }] }, 'text');
        log.error({ err: new Error('outer', { cause: error }) }, 'text');
      });
      assert.ok(!text.includes('secret'), text);
      assert.ok(!text.includes(Buffer.from(SECRET).join(',')), text);
    }),
  );
});

test('headers with credentials are redacted at any depth and in any case', () => {
  const header = fc.constantFrom('authorization', 'X-API-Key', 'Cookie', 'Set-Cookie', 'x-api-key');
  fc.assert(
    fc.property(header, fc.nat(10), (name, depth) => {
      let fields: object = { [name]: SECRET, other: 'kept' };
      for (let i = 0; i < depth; i++) fields = i % 2 === 0 ? { inner: fields } : { list: [fields] };
      const { text } = written((log) => log.info(fields, 'text'));
      assert.ok(!text.includes(SECRET) && text.includes('kept'), text);
    }),
  );
});

test('other fields are logged unchanged', () => {
  const fields = { n: 1, yes: true, none: null, list: [1, 'two'], deep: { at: new Date(0) } };
  const { lines } = written((log) => log.info(fields, 'text'));
  assert.partialDeepStrictEqual(lines[0], {
    ...fields,
    deep: { at: '1970-01-01T00:00:00.000Z' },
    msg: 'text',
  });
});

test('long messages and deep structures are truncated', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const error = new Error('x'.repeat(1_000_000));
  const { text } = written((log) => {
    log.error({ err: error }, 'text');
    log.error({ cycle }, 'text');
  });
  assert.ok(text.length < 20_000, String(text.length));
});
