export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const LOCAL_HEADER = Buffer.from('PK\u0003\u0004', 'latin1');
const NAME_LENGTH_AT = 26;
const NAME_AT = 30;

/**
 * Whether a zip archive is a Word document, by the names of the entries that begin in its head. Its reader verifies the
 * rest: a document with macros, or of another program, is none.
 */
export function isOfficeDocument(head: Uint8Array): boolean {
  const names = entryNames(Buffer.from(head.buffer, head.byteOffset, head.byteLength));
  if (
    names.some(
      (name) => /^(xl|ppt|visio)\//.test(name) || name === 'mimetype' || name === 'AndroidManifest.xml',
    )
  ) {
    return false;
  }
  return (
    names.some((name) => name.startsWith('word/')) ||
    names[0] === '[Content_Types].xml' ||
    names[0] === '_rels/.rels'
  );
}

/** By signature, since an entry that was streamed does not say its size before its data. */
function entryNames(head: Buffer): string[] {
  const names: string[] = [];
  for (let at = head.indexOf(LOCAL_HEADER); at >= 0; at = head.indexOf(LOCAL_HEADER, at + 1)) {
    if (at + NAME_AT > head.length) break;
    const length = head.readUInt16LE(at + NAME_LENGTH_AT);
    names.push(head.toString('utf8', at + NAME_AT, at + NAME_AT + length));
  }
  return names;
}
