import { readFile } from 'node:fs/promises';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { decodeMarkup, decodeText } from '../text/decode-text.ts';
import { invitationOf } from './invitation.ts';
import { type Mail, mailDocument } from './mail-document.ts';

const MOST_NESTED = 100;

/** @throws UnreadableDocument */
export async function openEml(path: string): Promise<OpenDocument> {
  return mailDocument(await readEml(await readFile(path)));
}

/** @throws UnreadableDocument */
export async function readEml(bytes: Buffer): Promise<Mail> {
  const { mail, notes } = await parsed(bytes);
  const { subject = '', from, to, cc, date = '', html, text = '' } = mail;
  if (mail.headers.length === 0) throw new UnreadableDocument('damaged', 'The document is not an e-mail.');
  const calendar = mail.attachments.find(({ mimeType }) => mimeType === 'text/calendar')?.content;
  const invitation =
    calendar === undefined || typeof calendar === 'string'
      ? invitationOf(calendar ?? '')
      : invitationOf(decodeText(new Uint8Array(calendar)).text);
  return {
    subject,
    from: namesOf(from ? [from] : []),
    to: namesOf(to),
    cc: namesOf(cc),
    sent: date,
    further: invitation?.fields ?? [],
    body:
      html !== undefined && html.trim() !== ''
        ? { html, text }
        : { text: text.trim() === '' ? (invitation?.description ?? '') : text },
    attachments: mail.attachments.map(({ filename, mimeType, related = false, contentId, content }) => ({
      filename: filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : ''),
      contentType: mimeType,
      bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
      isShown:
        related ||
        (contentId !== undefined && (html ?? '').includes(`cid:${contentId.replaceAll(/[<>]/g, '')}`)),
    })),
    notes,
  };
}

/** What the package does with each part once its bytes are there. */
interface Collector {
  collectNode(node: Part, ...rest: unknown[]): Promise<void>;
}
interface Part {
  contentType: { value: string; parsed: { params: Record<string, string> } };
  contentDisposition: { parsed: { value: string } };
  content: ArrayBuffer | null;
}

/**
 * Texts are decoded by the one rule for all: the package reads those that name no encoding, or a wrong one, as UTF-8 or Latin-1.
 *
 * @returns a set, to which what is to say of their encodings is added
 */
function decodeTexts(parser: Collector): Set<string> {
  const notes = new Set<string>();
  const collect = parser.collectNode.bind(parser);
  parser.collectNode = (node, ...rest) => {
    const { content, contentType, contentDisposition } = node;
    const isText = /^text\/(?:plain|html)\b/i.test(contentType.value);
    if (content && isText && contentDisposition.parsed.value !== 'attachment') {
      const { text, note } = decodeMarkup(new Uint8Array(content), contentType.value);
      if (note !== undefined) notes.add(note);
      node.content = new Uint8Array(Buffer.from(text)).buffer;
      contentType.parsed.params['charset'] = 'utf-8';
    }
    return collect(node, ...rest);
  };
  return notes;
}

/** Fields must be ASCII or UTF-8, but some programs write them in the encoding of their system. */
function readableHeader(bytes: Buffer): { bytes: Buffer; note?: string | undefined } {
  const end = ['\n\n', '\n\r\n'].map((blank) => bytes.indexOf(blank)).filter((at) => at >= 0);
  const header = bytes.subarray(0, Math.min(bytes.length, ...end));
  if (header.every((byte) => byte < 0x80)) return { bytes };
  const { text, note } = decodeText(header);
  return { bytes: Buffer.concat([Buffer.from(text), bytes.subarray(header.length)]), note };
}

async function parsed(bytes: Buffer): Promise<{ mail: Email; notes: (string | undefined)[] }> {
  try {
    const parser = new PostalMime({ forceRfc822Attachments: true, maxNestingDepth: MOST_NESTED });
    const notes = decodeTexts(parser as unknown as Collector);
    const header = readableHeader(bytes);
    const mail = await parser.parse(header.bytes);
    return { mail, notes: [header.note, ...notes] };
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
