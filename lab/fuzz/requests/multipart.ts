import fc, { type Arbitrary } from 'fast-check';
import { byteEdits, type ByteEdits, mutateBytes } from '../mutate.ts';
import type { Part } from '../run-part.ts';
import { type Operation, pathOf } from './operations.ts';
import { type Framing, framing } from './raw-http.ts';
import { type Addressed, addressed, requestPart, type Target } from './target.ts';

interface FormPart {
  /** A field of the operation, by position, or another name. */
  name: number | string;
  filename: string | undefined;
  /** Further header lines. */
  headers: readonly string[];
  content: string;
  times: number;
}

interface FormInput extends Addressed {
  parts: FormPart[];
  boundary: string;
  /** With BOUNDARY where the boundary belongs. */
  contentType: string;
  /** What follows the last part. */
  end: string;
  lineBreak: string;
  framing: Framing;
  bytes: ByteEdits;
}

const FORM_TYPE = 'multipart/form-data';

const name = (): Arbitrary<FormPart['name']> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.nat(20) },
    { weight: 3, arbitrary: fc.constantFrom('file', 'files', 'files[]', 'image') },
    { weight: 1, arbitrary: fc.constantFrom('', '__proto__', 'constructor', 'a\0b', 'a"b', 'x'.repeat(300)) },
  );
const filename = (): Arbitrary<string | undefined> =>
  fc.constantFrom(
    undefined,
    'report.md',
    '',
    '../../etc/passwd',
    'a\0.md',
    '\u202egnp.md',
    `${'x'.repeat(4096)}.md`,
  );
const header = (): Arbitrary<string> =>
  fc.constantFrom(
    'Content-Type: text/markdown',
    'Content-Type: ',
    'Content-Type: multipart/mixed; boundary=b',
    'X: ',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: form-data; name="other"',
    'no colon',
    'Content-Length: 4',
    `X: ${'x'.repeat(20_000)}`,
    "Content-Disposition: form-data; name*=utf-8''%ff",
  );
/** Few files differ, so that most of them are duplicates, which are not processed. */
const content = (): Arbitrary<string> =>
  fc.constantFrom(
    '',
    'true',
    '-1',
    'general',
    '\uFFFF',
    '{"a":',
    '[]',
    'x'.repeat(300_000),
    '--',
    '\r\n--',
    '# Report 1\n\nThe harbour is quiet.\n',
    '%PDF-1.7 nothing else',
    'PK\x03\x04',
    'GIF89a',
  );

const part = (): Arbitrary<FormPart> =>
  fc.record({
    name: name(),
    filename: filename(),
    headers: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(header(), { maxLength: 3 })),
    content: content(),
    times: fc.oneof(
      { weight: 30, arbitrary: fc.constant(1) },
      { weight: 3, arbitrary: fc.constant(2) },
      fc.integer({ min: 90, max: 10_000 }),
    ),
  });

const parts = (): Arbitrary<FormPart[]> =>
  fc.oneof({ weight: 2, arbitrary: fc.array(part(), { maxLength: 1 }) }, fc.array(part(), { maxLength: 6 }));

/** Makes the form of most operations valid. */
const FILE: FormPart = {
  name: 'file',
  filename: 'report.md',
  headers: ['Content-Type: text/markdown'],
  content: '# Report 1\n\nThe harbour is quiet.\n',
  times: 1,
};

/** Longer forms add nothing: limits of size are far below. */
const MOST_BYTES = 2 ** 22;

function renderForm(operation: Operation, { parts, boundary, end, lineBreak }: FormInput): Buffer {
  const fields = Object.keys(operation.bodies.get(FORM_TYPE)?.schema?.properties ?? {});
  const rendered = parts.flatMap(({ name, filename, headers, content, times }) => {
    const field = typeof name === 'number' ? (fields[name % (fields.length || 1)] ?? 'file') : name;
    const disposition = `Content-Disposition: form-data; name="${field}"${filename === undefined ? '' : `; filename="${filename}"`}`;
    const lines = [`--${boundary}`, disposition, ...headers, '', content, ''].join(lineBreak);
    const most = Math.max(1, Math.floor(MOST_BYTES / lines.length));
    return Array.from({ length: Math.min(times, most) }, () => lines);
  });
  return Buffer.from(rendered.join('') + end.replaceAll('BOUNDARY', boundary));
}

/**
 * Forms of every operation that takes files: broken, missing and nested boundaries, repeated and thousands of fields,
 * damaged headers, wrong lengths, damaged bytes.
 */
export function multipartPart(target: Target): Part<FormInput> {
  const inputs = fc.record({
    ...addressed(target, FORM_TYPE),
    parts: fc
      .tuple(fc.oneof({ weight: 3, arbitrary: fc.constant([FILE]) }, fc.constant([])), parts())
      .map((all) => all.flat()),
    boundary: fc.oneof(
      { weight: 8, arbitrary: fc.constant('x-boundary') },
      fc.constantFrom('-', '--', 'x'.repeat(71), 'x'.repeat(5000), 'a b', 'report', "()+_,-./:=?'"),
    ),
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant(`${FORM_TYPE}; boundary="BOUNDARY"`) },
      fc.constantFrom(
        `${FORM_TYPE}; boundary=BOUNDARY`,
        FORM_TYPE,
        `${FORM_TYPE}; boundary=`,
        `${FORM_TYPE}; boundary=other`,
        `${FORM_TYPE}; boundary=a; boundary=BOUNDARY`,
        'multipart/mixed; boundary=BOUNDARY',
        `${FORM_TYPE}; charset=utf-7; boundary=BOUNDARY`,
        'application/x-www-form-urlencoded',
      ),
    ),
    end: fc.oneof(
      { weight: 6, arbitrary: fc.constant('--BOUNDARY--\r\n') },
      fc.constantFrom('', '--BOUNDARY', '--BOUNDARY-', '--BOUNDARY--more', '--BOUNDARY\r\n', '--other--\r\n'),
    ),
    lineBreak: fc.oneof({ weight: 9, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r')),
    framing: framing(),
    bytes: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, byteEdits()),
  });
  return requestPart(target, 'multipart', inputs, (input, operation) => ({
    target: target.prefix + pathOf(operation, target.fileId),
    headers: { 'Content-Type': input.contentType.replaceAll('BOUNDARY', input.boundary) },
    body: mutateBytes(renderForm(operation, input), input.bytes),
    framing: input.framing,
  }));
}
