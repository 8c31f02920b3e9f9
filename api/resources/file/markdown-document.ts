import type { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { PrimaryStatus } from '../../../domain/primary-status.ts';

/** Characters that CommonMark or GFM may read as markup wherever they stand. */
const MARKUP = /[\\`*_{}[\]<>#|~&$]/g;
/** What begins a list, a rule or an underlined heading at the start of a line. */
const LINE_MARKUP = /^([-+=]|\d+(?=[.)]))/;

/** One image as a Markdown document. Whatever people, models or cameras wrote stands in it as text, never as markup. */
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

/** Text of several lines; its paragraphs stay. */
export function escapeText(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(escapeLine)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Text as one line. */
export function escapeLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(MARKUP, '\\$&')
    .replace(LINE_MARKUP, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Verbatim, behind a fence that is longer than any within. */
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
