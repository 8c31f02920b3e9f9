import { cleanFilename } from '../../domain/filename.ts';

/**
 * A Content-Disposition value (RFC 6266) for any file name: an ASCII form for old clients, and the true name in
 * RFC 5987 form where the two differ. No name can end the header or begin another parameter.
 */
export function contentDisposition(type: 'attachment' | 'inline', filename?: string): string {
  if (filename === undefined) return type;
  // A lone surrogate has no UTF-8 form.
  const name = cleanFilename(filename).toWellFormed();
  // Quotes and backslashes would need escapes, which clients interpret differently; some decode %XX even here.
  const ascii = name.replaceAll(/[^\u0020-\u007E]|["\\%]/g, '_');
  const plain = `${type}; filename="${ascii}"`;
  return ascii === name ? plain : `${plain}; filename*=UTF-8''${encodeRfc5987(name)}`;
}

/** encodeURIComponent leaves four characters that RFC 5987 does not allow. */
function encodeRfc5987(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
