import type { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { PrimaryStatus } from '../../../domain/primary-status.ts';

/** Characters that CommonMark or GFM may read as markup in any position. */
const MARKUP = /[\\`*_{}[\]<>#|~&$]/g;
/** Starts of a line that begin a list, a rule or an underlined heading. */
const LINE_MARKUP = /^([-+=]|\d+(?=[.)]))/;

/** One image as a Markdown document. Values from users, models and cameras are escaped, never treated as markup. */
export function markdownDocument(
  file: StoredFile,
  details: ImageDetails | null,
  primaryStatus: PrimaryStatus,
): string {
  const { tags, visibleText } = file;
  const description = file.userDescription ?? file.uploadDescription;
  const parts = [
    `# ${escapeLine(file.title ?? file.filename)}`,
    description && escapeText(description),
    tags.length > 0 && `**Tags:** ${tags.map(escapeLine).join(', ')}`,
    visibleText && `## Visible text\n\n${fenced(visibleText)}`,
    `## Facts\n\n${table(facts(file, details, primaryStatus))}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Escapes text of several lines, keeping its paragraphs. */
export function escapeText(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(escapeLine)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Escapes text as a single line. */
export function escapeLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(MARKUP, '\\$&')
    .replace(LINE_MARKUP, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Verbatim text in a fence longer than any it contains. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replaceAll(/\r\n|\r/g, '\n')}\n${fence}`;
}

function facts(
  file: StoredFile,
  details: ImageDetails | null,
  primaryStatus: PrimaryStatus,
): [string, string | undefined][] {
  const colours = details?.imageFacts.colours.map(
    ({ name, share }) => `${name} ${Math.round(share * 100)} %`,
  );
  return [
    ['File', file.filename],
    ['Type', `${file.contentType}, ${file.sizeBytes} bytes`],
    ['Dimensions', details ? `${details.width} × ${details.height}` : undefined],
    ['Category', file.contentCategory],
    ['Colours', colours?.join(', ')],
    ['Camera', details?.imageFacts.exif.camera],
    ['Taken', file.contentCreatedAt?.toISOString()],
    ['Uploaded', file.createdAt.toISOString()],
    ['Status', primaryStatus],
    ['Id', file.id],
  ];
}

function table(rows: [string, string | undefined][]): string {
  const lines = rows.flatMap(([name, value]) => (value ? [`| ${name} | ${escapeLine(value)} |`] : []));
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}
