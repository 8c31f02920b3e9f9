import { readFile } from 'node:fs/promises';
import decompress from '@kenjiuno/decompressrtf';
import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { readRtf } from '../rtf/read-rtf.ts';
import { decodeMarkup } from '../text/decode-text.ts';
import { type Mail, mailDocument } from './mail-document.ts';

// The packages are CommonJS, whose default export is their whole module.
const { default: MsgReader } = msgReader;
const { decompressRTF } = decompress;

const damaged = (cause?: unknown): UnreadableDocument =>
  new UnreadableDocument('damaged', 'The document is damaged or not of the type MSG.', { cause });

/** A message of Outlook. @throws UnreadableDocument */
export async function openMsg(path: string): Promise<OpenDocument> {
  const bytes = await readFile(path);
  let mail: Mail;
  try {
    mail = readMail(new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
  } catch (cause) {
    throw cause instanceof UnreadableDocument ? cause : damaged(cause);
  }
  return mailDocument(mail);
}

function readMail(reader: InstanceType<typeof MsgReader>): Mail {
  const fields = reader.getFileData();
  if (fields.dataType !== 'msg') throw damaged();
  const people = (kind: string): string =>
    (fields.recipients ?? [])
      .filter(({ recipType }) => recipType === kind)
      .map(({ name, smtpAddress, email }) => person(name, smtpAddress ?? email))
      .join(', ');
  return {
    subject: fields.subject ?? '',
    from: person(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
    to: people('to'),
    cc: people('cc'),
    sent: fields.clientSubmitTime ?? fields.messageDeliveryTime ?? '',
    body: bodyOf(fields),
    attachments: (fields.attachments ?? []).map((attachment) => {
      const { fileName, content } = reader.getAttachment(attachment);
      const isMessage = attachment.innerMsgContent === true;
      return {
        filename: isMessage ? `${fileName.replace(/\.msg$/i, '')}.msg` : fileName,
        contentType: isMessage ? 'application/vnd.ms-outlook' : (attachment.attachMimeTag ?? ''),
        bytes: content,
        isShown: attachment.attachmentHidden === true || (attachment.pidContentId ?? '') !== '',
      };
    }),
  };
}

function bodyOf({ html, bodyHtml, body = '', compressedRtf }: FieldsData): Mail['body'] {
  if (html && html.length > 0) return { html: decodeMarkup(html).text };
  if (bodyHtml !== undefined && bodyHtml.trim() !== '') return { html: bodyHtml };
  if (body.trim() !== '' || !compressedRtf) return { text: body };
  const rtf = Uint8Array.from(decompressRTF(Array.from(compressedRtf)));
  return { elements: readRtf(rtf).pages.flat() };
}

/** Addresses within a company are paths of its directory, which say nothing to others. */
function person(name = '', address = ''): string {
  const shown = address.includes('@') && address !== name ? address : '';
  return name !== '' && shown !== '' ? `${name} <${shown}>` : name || shown;
}
