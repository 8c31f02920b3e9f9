import { ANSWERED_CODES, ERRORS } from '../../domain/app-error.ts';

const INTRODUCTION = `# Errors

Every code that the API answers with, by status; \`npm run openapi\` writes this page from the registry. Which operation gives
which is in the OpenAPI document, and tests compare that with every error that they are given. What an error looks like is in the
[API guide](api-guide.md#errors). With a code marked "again", the same request may succeed later: wait for \`Retry-After\` seconds
where the answer has that header. One marked "final" has a status of the service, as the contract says, but is about the content
of the request: the same request gets the same answer, and \`x-should-retry: false\` says so to clients that repeat requests by
themselves. It counts as no error of the service in logs and metrics.
`;

/** docs/errors.md: the codes by status, as a Markdown table. */
export function errorsPage(): string {
  const codes = ANSWERED_CODES.toSorted((one, other) => ERRORS[one].status - ERRORS[other].status);
  const rows = codes.map((code) => {
    const { status, means, again, final } = ERRORS[code];
    return [`${status}`, `\`${code}\``, means, again ? 'again' : final ? 'final' : ''];
  });
  return `${INTRODUCTION}\n${table([['status', 'code', 'meaning', ''], ...rows])}`;
}

/** With columns padded to their widest cell, as the formatter wants them. */
function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_head, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`;
  const [head = [], ...rest] = rows;
  return [head, widths.map((width) => '-'.repeat(width)), ...rest].map(line).join('');
}
