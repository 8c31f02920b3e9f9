import { readFile } from 'node:fs/promises';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { mailDocument } from './mail-document.ts';

const MOST_NESTED = 100;

/** @throws UnreadableDocument */
export async function openEml(path: string): Promise<OpenDocument> {
  const mail = await parsed(await readFile(path));
  const { subject = '', from, to, cc, date = '', html, text = '' } = mail;
  if (mail.headers.length === 0) throw new UnreadableDocument('damaged', 'The document is not an e-mail.');
  return mailDocument({
    subject,
    from: namesOf(from ? [from] : []),
    to: namesOf(to),
    cc: namesOf(cc),
    sent: date,
    body: html !== undefined && html.trim() !== '' ? { html } : { text },
    attachments: mail.attachments.map(({ filename, mimeType, related = false, contentId, content }) => ({
      filename: filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : ''),
      contentType: mimeType,
      bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
      isShown:
        related ||
        (contentId !== undefined && (html ?? '').includes(`cid:${contentId.replaceAll(/[<>]/g, '')}`)),
    })),
  });
}

async function parsed(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: MOST_NESTED });
  } catch (cause) {
    throw new UnreadableDocument('damaged', 'The e-mail nests too many parts, or has too many headers.', {
      cause,
    });
  }
}

function namesOf(addresses: readonly Address[] = []): string {
  return addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name !== '' && address ? `${name} <${address}>` : name || address))
    .join(', ');
}
