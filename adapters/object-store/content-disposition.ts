/**
 * A Content-Disposition header for any file name (RFC 6266): a plain ASCII fallback, and the whole name in UTF-8
 * percent-encoding. Nothing a client put in the name can end the header or open another.
 */
export function contentDisposition(disposition: 'attachment' | 'inline', filename?: string): string {
  if (filename === undefined) return disposition;
  const whole = filename.toWellFormed();
  const ascii = whole.replace(/[^\x20-\x7e]|["\\%/]/g, '_').slice(0, 150);
  const encoded = encodeURIComponent([...whole].slice(0, 150).join('')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
