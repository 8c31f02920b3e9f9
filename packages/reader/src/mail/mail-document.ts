import { plainText } from '../document/element.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { htmlElements } from '../html/html-elements.ts';
import { cleanText } from '../layout/plain-text.ts';
import { LIMITS } from '../limits.ts';
import { dateOf, shortText } from '../markup/core-properties.ts';
import { parseHtml } from '../markup/parse-markup.ts';
import { type Attachment, type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { textElements } from '../text/text-elements.ts';

/** A message, whatever its format. */
export interface Mail {
  subject: string;
  from: string;
  to: string;
  cc: string;
  /** As its format has it; empty for a draft. */
  sent: string;
  /** What it shows beside its text, as an appointment does. */
  further?: readonly (readonly [key: string, value: string])[];
  /** The body in its richest form; some programs send HTML without any text beside a text. */
  body: { html: string; text?: string } | { text: string } | { elements: readonly FlowElement[] };
  attachments: readonly MailAttachment[];
  /** What its readers should know, as of an encoding that was guessed. */
  notes: readonly (string | undefined)[];
}

export interface MailAttachment extends Omit<Attachment, 'sizeBytes'> {
  bytes: Uint8Array;
  /** Whether the text shows it. */
  isShown: boolean;
}

/** Smaller pictures in a text are logos and signs. */
const LEAST_PICTURE_BYTES = 10_000;
/** Seals of the message itself. */
const SEALS = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/;

/** Its subject, the fields that are above a message, and its text. The attachments are handed out one by one. */
export function mailDocument(mail: Mail): OpenDocument {
  const subject = shortText(mail.subject);
  const date = dateOf(mail.sent);
  const fields = [
    ['From', mail.from],
    ['To', mail.to],
    ['Cc', mail.cc],
    ['Date', date ?? mail.sent],
    ...(mail.further ?? []),
  ] as const;
  const heading: FlowElement[] = subject === null ? [] : [{ type: 'heading', content: subject, level: 1 }];
  const above = fields.flatMap(([key, given]): FlowElement[] => {
    const value = cleanText(given).trim();
    return value === '' ? [] : [{ type: 'key_value', key, value }];
  });
  const attachments = mail.attachments.filter(
    ({ contentType, isShown, bytes }) =>
      !SEALS.test(contentType) &&
      bytes.length > 0 &&
      !(isShown && contentType.startsWith('image/') && bytes.length < LEAST_PICTURE_BYTES),
  );
  const document = flowDocument({
    pages: [[...heading, ...above, ...bodyOf(mail)]],
    title: subject,
    author: shortText(mail.from),
    createdAt: date,
    notes: mail.notes,
  });
  return {
    ...document,
    inspect: async () => ({
      ...(await document.inspect()),
      attachments: attachments.map(({ filename, contentType, bytes }) => ({
        filename,
        contentType,
        sizeBytes: bytes.length,
      })),
    }),
    async readAttachment(index) {
      const attachment = attachments[index];
      if (!attachment) throw new UnreadableDocument('damaged', `The message has no attachment ${index + 1}.`);
      return attachment.bytes;
    },
  };
}

function bodyOf({ body }: Pick<Mail, 'body'>): readonly FlowElement[] {
  if ('elements' in body) return body.elements;
  if ('html' in body) {
    const elements = htmlElements(parseHtml(withinLimit(body.html)));
    return elements.some(hasText) || body.text === undefined
      ? elements
      : bodyOf({ body: { text: body.text } });
  }
  return textElements(withinLimit(body.text).replaceAll(/\r\n?/g, '\n'));
}

/** Cells and marks of inlines alone are none. */
export const hasText = (element: FlowElement): boolean => /[^\s|\uFDD0-\uFDEF]/u.test(plainText(element));

/** @throws UnreadableDocument */
function withinLimit(source: string): string {
  if (source.length > LIMITS.textBytes)
    throw new UnreadableDocument('too_large', `The text of the message has ${source.length} characters.`);
  return source;
}
