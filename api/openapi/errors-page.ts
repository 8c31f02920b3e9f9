import { markdownTable } from '../../domain/markdown-table.ts';
import { FINAL, MAY_PASS, MEANING_OF } from '../http/error-meanings.ts';
import { ANSWERED_CODES, statusOf } from '../http/problem.ts';

const INTRODUCTION = `# Errors

Every code that the API answers with, by status; \`npm run openapi\` writes this page from the registry. Which operation gives
which is in the OpenAPI document, and tests compare that with every error that they are given. What an error looks like is in the
[API guide](api-guide.md#errors-and-limits). With a code marked "again", the same request may succeed later: wait for \`Retry-After\` seconds
where the answer has that header. One marked "final" has a status of the service, as the contract says, but is about the content
of the request: the same request gets the same answer, and \`x-should-retry: false\` says so to clients that repeat requests by
themselves. It counts as no error of the service in logs and metrics.
`;

/** docs/errors.md: the codes by status, as a Markdown table. */
export function errorsPage(): string {
  const codes = ANSWERED_CODES.toSorted((a, b) => statusOf(a) - statusOf(b));
  const rows = codes.map((code) => [
    `${statusOf(code)}`,
    `\`${code}\``,
    MEANING_OF[code],
    MAY_PASS.has(code) ? 'again' : FINAL.has(code) ? 'final' : '',
  ]);
  return `${INTRODUCTION}\n${markdownTable([['status', 'code', 'meaning', ''], ...rows])}`;
}
