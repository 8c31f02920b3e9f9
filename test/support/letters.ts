export interface Enclosure {
  filename?: string;
  type: string;
  content: string | Uint8Array;
  headers?: string;
}

/** An e-mail with an HTML text and attachments. */
export function writeEml(
  subject: string,
  html: string,
  enclosures: readonly Enclosure[] = [],
  headers = '',
): Buffer {
  // A message within another has its own.
  const boundary = `of-${subject.replaceAll(/\W/g, '')}`;
  const part = ({ filename, type, content, headers: own = '' }: Enclosure): string =>
    [
      `--${boundary}`,
      `Content-Type: ${type}`,
      ...(filename === undefined ? [] : [`Content-Disposition: attachment; filename="${filename}"`]),
      ...(own === '' ? [] : [own]),
      ...(type === 'message/rfc822' ? [] : ['Content-Transfer-Encoding: base64']),
      '',
      type === 'message/rfc822' ? content.toString() : Buffer.from(content).toString('base64'),
      '',
    ].join('\r\n');
  return Buffer.from(
    `From: Ann Miller <ann@mill.example>\r\nTo: Bob <bob@mill.example>\r\nSubject: ${subject}\r\n` +
      `Date: Mon, 6 May 2024 07:08:09 +0000\r\nMessage-ID: <1@mill.example>\r\nMIME-Version: 1.0\r\n${headers}` +
      `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n` +
      part({ type: 'text/html; charset=utf-8', content: html }) +
      enclosures.map(part).join('') +
      `--${boundary}--\r\n`,
    'utf8',
  );
}
