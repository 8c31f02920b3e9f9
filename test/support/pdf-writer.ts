import { createHash } from 'node:crypto';

/** The body of an object, or the dictionary and bytes of a stream. */
export type PdfObject = string | { dictionary: string; bytes: Uint8Array };

export interface PdfOptions {
  /** Further entries of the trailer, such as `/Encrypt 9 0 R`. */
  trailer?: string;
  /** Omits the cross-reference table, as in a truncated file. */
  withoutTable?: boolean;
}

/** A PDF of these objects, numbered from 1; the first one is the catalogue. */
export function writePdf(
  objects: readonly PdfObject[],
  { trailer = '', withoutTable = false }: PdfOptions = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  const length = (): number => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [index, object] of objects.entries()) {
    offsets.push(length());
    const body =
      typeof object === 'string'
        ? Buffer.from(object, 'latin1')
        : Buffer.concat([
            Buffer.from(`<< /Length ${object.bytes.length} ${object.dictionary} >>\nstream\n`, 'latin1'),
            object.bytes,
            Buffer.from('\nendstream'),
          ]);
    parts.push(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]));
  }
  if (withoutTable) return Buffer.concat([...parts, Buffer.from('trailer\n<< /Root 1 0 R >>\n')]);
  const start = length();
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** The objects of a one-page document with this content stream. */
export function onePage(
  content: Uint8Array | string,
  { page = '', catalogue = '', stream = '' } = {},
): PdfObject[] {
  return [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> ${page} >>`,
    { dictionary: stream, bytes: Buffer.from(content) },
    FONT,
  ];
}

/** The content stream of lines of text, from the top of a page. */
export function showLines(lines: readonly string[], top = 260): string {
  const shown = lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ');
  return `BT /F1 12 Tf 40 ${top} Td ${shown} ET`;
}

const PADDING = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');
const ID = Buffer.alloc(16, 7);

/**
 * A one-page document with version 1 of the standard encryption.
 *
 * @param openedBy `nobody`: reading requires a password; `anyone`: only changes require one
 */
export function encryptedPdf(content: string, openedBy: 'anyone' | 'nobody'): Buffer {
  const owner = Buffer.alloc(32, 0x5a);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(-44);
  const key = md5(PADDING, owner, permissions, ID).subarray(0, 5);
  const user = openedBy === 'anyone' ? rc4(key, PADDING) : Buffer.alloc(32, 0x33);
  const streamKey = md5(key, Buffer.from([4, 0, 0, 0, 0])).subarray(0, 10);
  const objects = onePage(rc4(streamKey, Buffer.from(content)));
  objects.push(
    `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -44 >>`,
  );
  const id = ID.toString('hex');
  return writePdf(objects, { trailer: `/Encrypt 6 0 R /ID [<${id}> <${id}>]` });
}

function md5(...parts: Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** OpenSSL no longer has RC4. */
function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 255] ?? 0;
  const swap = (one: number, other: number): void => {
    [state[one & 255], state[other & 255]] = [at(other), at(one)];
  };
  let j = 0;
  for (let i = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let i = 0;
  j = 0;
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
