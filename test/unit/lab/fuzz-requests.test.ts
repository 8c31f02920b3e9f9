import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Finding } from '../../../lab/fuzz/run-part.ts';
import { replaceValues } from '../../../lab/fuzz/requests/json.ts';
import { decodeFrames, encodeFrame } from '../../../lab/fuzz/requests/live.ts';
import { judgeAnswer, pathOf, readOperations } from '../../../lab/fuzz/requests/operations.ts';
import { parseAnswer, renderRequest } from '../../../lab/fuzz/requests/raw-http.ts';

const document = {
  paths: {
    '/files/{file_id}': {
      parameters: [],
      patch: {
        operationId: 'changeFile',
        requestBody: {
          content: {
            'application/json': { schema: {}, examples: { one: { $ref: '#/components/examples/one' } } },
          },
        },
        responses: { 200: {}, 404: { $ref: '#/components/responses/NotFound' } },
      },
    },
    '/auth/logout': { post: { operationId: 'logOut', responses: { 204: {} } } },
  },
  components: {
    examples: { one: { value: { title: 'A' } } },
    responses: { NotFound: { 'x-codes': ['NOT_FOUND'] } },
  },
};
const [operation] = readOperations(document);
assert.ok(operation);

const answer = (status: number, body: unknown, type = 'application/json; charset=utf-8') => ({
  status,
  headers: new Map([['content-type', type]]),
  body: JSON.stringify(body),
});
const problem = (code: string) => ({ detail: 'why', code, request_id: 'r' });

test('operations are read with their bodies and error codes, but not those that end the credentials', () => {
  assert.equal(readOperations(document).length, 1);
  assert.deepEqual(operation.bodies.get('application/json')?.example, { title: 'A' });
  assert.deepEqual(
    [...operation.codes],
    [
      [200, new Set()],
      [404, new Set(['NOT_FOUND'])],
    ],
  );
  assert.equal(pathOf(operation, 'f'), '/files/f');
});

test('documented answers are outcomes', () => {
  assert.deepEqual(judgeAnswer(operation, answer(200, {})), { result: 'accepted', code: '200' });
  const refused = judgeAnswer(operation, answer(404, problem('NOT_FOUND')));
  assert.deepEqual(refused, { result: 'refused', code: 'NOT_FOUND' });
});

for (const [what, given, kind] of [
  ['a 5xx', answer(500, problem('INTERNAL')), '500 of changeFile: INTERNAL'],
  ['an undocumented status', answer(409, problem('X')), '409 of changeFile: a status that is not documented'],
  ['an undocumented code', answer(404, problem('X')), '404 of changeFile: the code X is not documented'],
  ['another shape', answer(404, { error: 'x' }), '404 of changeFile: an error of another shape'],
  [
    'another type',
    answer(404, problem('NOT_FOUND'), 'text/html'),
    '404 of changeFile: an error that is not JSON',
  ],
] as const)
  test(`${what} is a finding`, () => {
    assert.throws(
      () => judgeAnswer(operation, given),
      (error) => error instanceof Finding && error.kind === kind,
    );
  });

test('requests declare lengths as told', () => {
  const render = (framing: Parameters<typeof renderRequest>[0]['framing']) =>
    renderRequest(
      { method: 'POST', target: '/', headers: { X: 'y' }, body: Buffer.from('abcd'), framing },
      'h',
    ).toString();
  assert.equal(
    render('exact'),
    'POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX: y\r\nContent-Length: 4\r\n\r\nabcd',
  );
  assert.match(render('short'), /Content-Length: 2\r\n\r\nabcd$/);
  assert.match(render('cut'), /Content-Length: 4\r\n\r\nab$/);
  assert.match(render('chunked'), /Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n$/);
  assert.match(render('broken-chunks'), /\r\n\r\n2\r\nabcd\r\n0\r\n\r\n$/);
});

test('answers are parsed, also those in chunks; anything else is a finding', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
  assert.equal(parseAnswer(Buffer.from(`${head}\r\nabc`)).body, 'abc');
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`;
  assert.deepEqual(
    [parseAnswer(Buffer.from(chunked)).body, parseAnswer(Buffer.from(chunked)).status],
    ['abc', 200],
  );
  assert.throws(() => parseAnswer(Buffer.from('HTTP/1.1 200 OK\r\n')), Finding);
});

test('frames round-trip in every form of the length', () => {
  const frame = { final: true, reserved: 0, opcode: 1, masked: false, declared: undefined };
  for (const [size, lengthBytes] of [
    [3, 0],
    [3, 2],
    [3, 8],
    [200, 0],
    [70_000, 0],
  ] as const) {
    const payload = Buffer.alloc(size, 'x');
    const bytes = encodeFrame({ ...frame, lengthBytes, payload });
    assert.deepEqual(decodeFrames(Buffer.concat([bytes, bytes])), [
      { opcode: 1, payload },
      { opcode: 1, payload },
    ]);
    assert.deepEqual(decodeFrames(bytes.subarray(0, -1)), []);
  }
  const masked = encodeFrame({ ...frame, masked: true, lengthBytes: 0, payload: Buffer.from('ab') });
  assert.equal(masked.toString('hex'), '8182112233447040');
  assert.throws(() => decodeFrames(masked), Finding);
});

test('values of a JSON text are replaced, not its keys', () => {
  const text = '{"a":"b","c":[1,{"d":null}]}';
  assert.equal(replaceValues(text, [{ at: 1, text: '{"x":1}' }]), '{"a":"b","c":[{"x":1},{"d":null}]}');
  assert.equal(replaceValues(text, [{ at: 3, text: '2' }]), '{"a":2,"c":[1,{"d":null}]}');
  assert.equal(replaceValues('{}', [{ at: 0, text: '2' }]), '{}');
});
