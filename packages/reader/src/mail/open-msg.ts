import { readFile } from 'node:fs/promises';
import decompress from '@kenjiuno/decompressrtf';
import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { deEncapsulateSync } from 'rtf-stream-parser';
import type { FlowElement } from '../flow/paginate.ts';
import { htmlElements } from '../html/html-elements.ts';
import { LIMITS } from '../limits.ts';
import { dateOf } from '../markup/core-properties.ts';
import { parseHtml } from '../markup/parse-markup.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { codePage } from '../rtf/code-pages.ts';
import { readRtf } from '../rtf/read-rtf.ts';
import { decodeMarkup, decodePart, decodeText } from '../text/decode-text.ts';
import { readEml } from './open-eml.ts';
import { hasText, type Mail, mailDocument } from './mail-document.ts';

// The packages are CommonJS, whose default export is their whole module.
const { default: MsgReader } = msgReader;
const { decompressRTF } = decompress;

const UNSENT = 0x8;
/** Where an RTF says what it was made of. */
const RTF_HEAD = 1000;
const [OPEN, CLOSE, BACKSLASH] = [0x7b, 0x7d, 0x5c];
const PACKED = 'LZFu';
/** What precedes a packed text: its sizes, its kind and a checksum. */
const PACKED_HEAD = 16;
/** Names by which the library knows encodings that it knows by others only. */
const NAMES: Readonly<Record<string, string>> = {
  'x-mac-cyrillic': 'maccyrillic',
  'iso-8859-8-i': 'iso-8859-8',
};

const damaged = (cause?: unknown): UnreadableDocument =>
  new UnreadableDocument('damaged', 'The document is damaged or not of the type MSG.', { cause });

/** A message of Outlook. @throws UnreadableDocument */
export async function openMsg(path: string): Promise<OpenDocument> {
  const bytes = await readFile(path);
  let mail: Mail;
  try {
    mail = await readMail(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (cause) {
    throw cause instanceof UnreadableDocument ? cause : damaged(cause);
  }
  return mailDocument(mail);
}

async function readMail(view: DataView): Promise<Mail> {
  const { reader, fields, note } = readFields(view);
  const people = (kind: string): string =>
    (fields.recipients ?? [])
      .filter(({ recipType }) => recipType === kind)
      .map(({ name, smtpAddress, email }) => person(name, smtpAddress ?? email))
      .join(', ');
  const body = bodyOf(fields);
  // Those that are only named lie elsewhere, or are objects of another program.
  const isKept = ({ dataId, innerMsgContent }: FieldsData) =>
    dataId !== undefined || innerMsgContent === true;
  const named = (fields.attachments ?? []).filter((attachment) => !isKept(attachment));
  const attachments = (fields.attachments ?? []).filter(isKept).map((attachment) => {
    const { content } = reader.getAttachment(attachment);
    const fileName = attachment.fileName ?? attachment.name ?? attachment.fileNameShort ?? '';
    const isMessage = attachment.innerMsgContent === true;
    return {
      filename: isMessage ? `${fileName.replace(/\.msg$/i, '')}.msg` : fileName,
      contentType: isMessage ? 'application/vnd.ms-outlook' : (attachment.attachMimeTag ?? ''),
      bytes: content,
      isShown:
        attachment.attachmentHidden === true ||
        (attachment.pidContentId ?? '') !== '' ||
        ('html' in body && fileName !== '' && body.html.includes(`"${fileName}"`)),
    };
  });
  // What is signed is a message of its own, which has the attachments.
  const signed = attachments.find(({ contentType }) => contentType === 'multipart/signed');
  const inner = signed && (await readEml(Buffer.from(signed.bytes)));
  const isEmpty =
    'elements' in body ? !body.elements.some(hasText) : 'text' in body && body.text.trim() === '';
  return {
    subject: fields.subject ?? '',
    from: person(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
    to: people('to'),
    cc: people('cc'),
    sent:
      ((fields.messageFlags ?? 0) & UNSENT) > 0
        ? ''
        : (fields.clientSubmitTime ?? fields.messageDeliveryTime ?? ''),
    further: furtherFields(fields),
    body: inner && isEmpty ? inner.body : body,
    attachments: inner?.attachments ?? attachments,
    notes: [
      note,
      ...(inner && isEmpty ? inner.notes : []),
      ...named.map(
        ({ fileName, name = '' }) =>
          `The content of an attachment is not in the message: ${fileName ?? name}`,
      ),
    ],
  };
}

/** Its texts in the code page of its writer, if they are not in Unicode: the library takes their bytes for characters. */
function readFields(view: DataView) {
  const reader = new MsgReader(view);
  const fields = reader.getFileData();
  if (fields.dataType !== 'msg') throw damaged();
  const { subject = '', senderName = '', body = '', messageCodepage, internetCodepage } = fields;
  const names = (fields.recipients ?? []).map(({ name = '' }) => name);
  const text = [subject, senderName, ...names, body].join('\n');
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return { reader, fields, note: undefined };
  const named = [messageCodepage, internetCodepage].map((page) => codePage(page ?? 0));
  const { encoding, note } = decodeText(Buffer.from(text, 'latin1'), named);
  const decoding = new MsgReader(view);
  decoding.parserConfig = { ansiEncoding: NAMES[encoding] ?? encoding };
  let decoded: FieldsData;
  try {
    decoded = decoding.getFileData();
  } catch {
    // The library does not know the encoding: these are the texts that people see.
    const own = (value = ''): string => decodePart(Buffer.from(value, 'latin1'), encoding);
    const recipients = (fields.recipients ?? []).map((each) => ({ ...each, name: own(each.name) }));
    const seen = { subject: own(subject), senderName: own(senderName), body: own(body), recipients };
    return { reader, fields: { ...fields, ...seen }, note };
  }
  // Unicode texts are the same both ways, and nothing was guessed.
  return { reader: decoding, fields: decoded, note: decoded.body === fields.body ? undefined : note };
}

function bodyOf({ html, bodyHtml, body = '', compressedRtf }: FieldsData): Mail['body'] {
  if (html && html.length > 0) return { html: decodeMarkup(html).text, text: body };
  if (bodyHtml !== undefined && bodyHtml.trim() !== '') return { html: bodyHtml, text: body };
  const isPlain = body.trim() !== '';
  try {
    const rich = compressedRtf && richBody(unpacked(compressedRtf), isPlain);
    return rich && (!isPlain || rich.elements.some(hasText)) ? rich : { text: body };
  } catch (cause) {
    // The plain text of a message says what its RTF says.
    if (!isPlain) throw cause;
    return { text: body };
  }
}

/** The HTML with its elements, so that it is read once. */
interface RichBody {
  html?: string;
  elements: readonly FlowElement[];
}

/** The HTML that Outlook keeps inside an RTF, or what the RTF says; undefined if it was made of the plain text that is there. */
function richBody(rtf: Buffer, isPlain: boolean): RichBody | undefined {
  const head = rtf.subarray(0, RTF_HEAD).toString('latin1');
  if (head.includes(String.raw`\fromhtml1`)) {
    checkDepth(rtf);
    try {
      return htmlWithin(rtf);
    } catch (cause) {
      // The package refuses some character sets. The RTF beside the HTML has its text, but no tables, as the plain text.
      if (isPlain) throw cause;
    }
  }
  if (isPlain && head.includes(String.raw`\fromtext`)) return undefined;
  return { elements: readRtf(rtf).pages.flat() };
}

function htmlWithin(rtf: Buffer): RichBody {
  const decode = (bytes: Buffer, label: string): string =>
    decodePart(bytes, codePage(Number(label.slice('cp'.length))) ?? label);
  const html = deEncapsulateSync(rtf, { mode: 'html', decode }).text.toString();
  checkSize(html.length);
  return { html, elements: htmlElements(parseHtml(html)) };
}

/** The package believes the sizes that a packed text states, and takes many times their memory. @throws UnreadableDocument */
function unpacked(packed: Uint8Array): Buffer {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.length < PACKED_HEAD) throw damaged();
  if (bytes.toString('latin1', 8, 12) === PACKED) {
    const end = bytes.readUInt32LE(0) + 4;
    if (end > bytes.length) throw damaged();
    checkSize(unpackedLength(bytes.subarray(PACKED_HEAD, end)));
  } else checkSize(bytes.length - PACKED_HEAD);
  return Buffer.from(decompressRTF(Array.from(bytes)));
}

/** Each bit of a control byte says whether a letter follows, or two bytes for several letters that were there before. */
function unpackedLength(packed: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < packed.length;) {
    const control = packed[at] ?? 0;
    at += 1;
    for (let bit = 0; bit < 8 && at < packed.length; bit++) {
      const isRepeated = ((control >> bit) & 1) === 1;
      length += isRepeated ? ((packed[at + 1] ?? 0) & 15) + 2 : 1;
      at += isRepeated ? 2 : 1;
    }
  }
  return length;
}

/** @throws UnreadableDocument */
function checkSize(length: number): void {
  if (length > LIMITS.textBytes)
    throw new UnreadableDocument('too_large', `The text of the message has ${length} characters.`);
}

/** The package takes time by the square of how deep groups are in each other. @throws UnreadableDocument */
function checkDepth(rtf: Uint8Array): void {
  let depth = 0;
  for (let at = 0; at < rtf.length; at += 1) {
    if (rtf[at] === BACKSLASH) at += 1;
    else if (rtf[at] === OPEN) depth += 1;
    else if (rtf[at] === CLOSE) depth -= 1;
    if (depth > LIMITS.xmlDepth)
      throw new UnreadableDocument('too_large', 'The text of the message has too many groups in each other.');
  }
}

/** What an appointment or a contact shows beside its text. */
function furtherFields(fields: FieldsData): [key: string, value: string][] {
  const kind = fields.messageClass ?? '';
  const shown: [string, string | undefined][] = /^IPM\.(?:Appointment|Schedule)/i.test(kind)
    ? [
        ['Location', fields.apptLocation],
        ['Start', dateOf(fields.apptStartWhole ?? null) ?? undefined],
        ['End', dateOf(fields.apptEndWhole ?? null) ?? undefined],
      ]
    : /^IPM\.Contact/i.test(kind)
      ? [
          ['Company', fields.companyName],
          ['Position', fields.title],
          ['E-mail', fields.email1EmailAddress],
          ['Phone', fields.businessTelephoneNumber ?? fields.homeTelephoneNumber],
          ['Mobile phone', fields.mobileTelephoneNumber],
          ['Address', fields.workAddress ?? fields.postalAddress],
        ]
      : [];
  return shown.map(([key, value = '']) => [key, value]);
}

/** Addresses within a company are paths of its directory, which say nothing to others. */
function person(name = '', address = ''): string {
  const shown = address.includes('@') && !address.startsWith('/') && address !== name ? address : '';
  return name !== '' && shown !== '' ? `${name} <${shown}>` : name || shown;
}
