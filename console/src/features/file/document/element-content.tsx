import { Badge } from '../../../ui/status.tsx';
import { FILE_TEXTS } from '../texts.ts';
import type { PageElement } from './page-queries.ts';

/**
 * The content of an element as what it is: a heading, a list, a table, code or text.
 *
 * @param headingLevel of a heading in the page of the console
 */
export function ElementContent({
  element: { type, content, metadata, rows },
  headingLevel = 3,
}: {
  element: Pick<PageElement, 'type' | 'content' | 'metadata' | 'rows'>;
  headingLevel?: number | undefined;
}) {
  if (type === 'heading') {
    return (
      <p
        role="heading"
        aria-level={headingLevel}
        className={`font-semibold wrap-anywhere ${levelOf({ metadata }) === 1 ? 'text-lg' : ''}`}
      >
        <Inline text={content} />
      </p>
    );
  }
  if (type === 'code') {
    return (
      <pre className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-sm" tabIndex={0}>
        {content}
      </pre>
    );
  }
  return rows ? <ContentTable rows={rows} /> : <TextBlock text={content} />;
}

/** A paragraph, or a list in Markdown. */
export function TextBlock({ text }: { text: string }) {
  const lines = text.split('\n');
  if (lines.every((line) => (lines.length > 1 ? ITEM : CLEAR_ITEM).test(line))) {
    return (
      <ul className="flex flex-col gap-1">
        {lines.map((line, at) => (
          <li key={at} className="flex gap-2" style={{ paddingLeft: `${indentOf(line)}rem` }}>
            <span aria-hidden className="text-muted">
              {line
                .trim()
                .split(/\s/)[0]
                ?.replace(/^[-*]$/, '•')}
            </span>
            <span className="wrap-anywhere">
              <Inline text={line.trim().replace(/^\S+\s+/, '')} />
            </span>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <p className="whitespace-pre-wrap wrap-anywhere">
      <Inline text={text} />
    </p>
  );
}

const MARKS = /(~~[^~\n]+~~|\[[^[\]\n]+\]\((?:https?:\/\/|mailto:)[^()\s]+\))/;

/** Text in Markdown with what is struck out, and links. */
function Inline({ text }: { text: string }) {
  return text.split(MARKS).map((part, at) => {
    if (at % 2 === 0) return part;
    if (part.startsWith('~~')) return <s key={at}>{part.slice(2, -2)}</s>;
    const [shown = '', target = ''] = part.slice(1, -1).split('](');
    return (
      <a
        key={at}
        href={target}
        target="_blank"
        rel="noopener noreferrer"
        className="text-accent underline underline-offset-2"
      >
        {shown}
      </a>
    );
  });
}

const CLEAR_ITEM = /^\s*(?:[-*•☐☑☒✓✔]|\d+[.)])\s/;
/** Letters and numerals begin items among others; a single line may begin with an abbreviation. */
const ITEM = /^\s*(?:[-*•☐☑☒✓✔]|\(?(?:\d+|[a-z]{1,2}|[ivxlcIVXLC]{1,5}|[A-Z])[.)])\s/;

const indentOf = (line: string) => (/^\s*/.exec(line)?.[0].length ?? 0) / 2;

function ContentTable({ rows: [head = [], ...body] }: { rows: NonNullable<PageElement['rows']> }) {
  return (
    <div
      className="overflow-x-auto rounded-lg border border-line"
      role="region"
      aria-label={FILE_TEXTS.pages.kinds.table}
      tabIndex={0}
    >
      <table className="w-full border-collapse text-sm">
        <thead className="bg-sunken">
          <tr>
            {head.map((cell, at) => (
              <th
                key={at}
                scope="col"
                rowSpan={cell.row_span}
                colSpan={cell.column_span}
                className="border-b border-line px-2.5 py-1.5 text-left font-medium whitespace-pre-wrap"
              >
                <Inline text={cell.markdown ?? cell.text} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {body.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td
                  key={at}
                  rowSpan={cell.row_span}
                  colSpan={cell.column_span}
                  className="px-2.5 py-1.5 align-top whitespace-pre-wrap"
                >
                  <Inline text={cell.markdown ?? cell.text} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What an element is, and its role on the page. */
export function ElementKind({ element: { type, metadata } }: { element: PageElement }) {
  const { kinds, roles } = FILE_TEXTS.pages;
  const role = String(metadata['role'] ?? '');
  return (
    <span className="flex flex-wrap gap-1.5">
      <Badge>{kinds[type]}</Badge>
      {role in roles && <Badge>{roles[role as keyof typeof roles]}</Badge>}
    </span>
  );
}

const levelOf = ({ metadata }: Pick<PageElement, 'metadata'>) => Number(metadata['level'] ?? 1);

/** The level of each heading of a page below its own heading, by id; none is left out in between. */
export function headingLevels(elements: readonly PageElement[]): Map<string, number> {
  let before = 2;
  const headings = elements.filter(({ type }) => type === 'heading');
  return new Map(
    headings.map((element) => {
      before = Math.min(6, levelOf(element) + 2, before + 1);
      return [element.element_id, before];
    }),
  );
}
