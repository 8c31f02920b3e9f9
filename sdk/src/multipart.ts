import type { BlobParts } from './sources.ts';

/** A multipart form with files, encoded by this client so that its progress can be measured. */
export interface Form {
  contentType: string;
  /** Bytes and files in order. */
  parts: (Uint8Array | Blob)[];
}

/** Encodes a form. @param files follow the fields, so that the API can validate the fields first */
export function encodeForm(
  fields: Readonly<Record<string, string>>,
  files: readonly { field: string; filename: string; content: Blob }[],
): Form {
  const boundary = `darkroom-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const parts: Form['parts'] = [];
  const head = (name: string, more = '') =>
    encoder.encode(`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${more}\r\n\r\n`);
  for (const [name, value] of Object.entries(fields)) parts.push(head(name), encoder.encode(`${value}\r\n`));
  for (const { field, filename, content } of files) {
    const type = content.type || 'application/octet-stream';
    const more = `; filename="${escaped(filename)}"\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, '')}`;
    parts.push(head(field, more), content, encoder.encode('\r\n'));
  }
  parts.push(encoder.encode(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, parts };
}

/**
 * The form as the body of a request: a stream with `onBytes`, a blob without.
 *
 * @param onBytes called with the number of bytes of each chunk that is read for sending
 */
export function bodyOf(
  { parts }: Form,
  onBytes?: (count: number) => void,
): Blob | ReadableStream<Uint8Array> {
  if (!onBytes) return new Blob(parts as BlobParts);
  const chunks = chunksOf(parts);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        onBytes(value.length);
        controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(parts: Form['parts']): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      yield part;
      continue;
    }
    const reader = (part.stream() as ReadableStream<Uint8Array>).getReader();
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }
}

/** Escapes a name as browsers do. */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
