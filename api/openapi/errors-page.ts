import { markdownTable } from '../../domain/markdown-table.ts';
import { ANSWERED_CODES, ERRORS } from '../../domain/app-error.ts';

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
  const codes = ANSWERED_CODES.toSorted((one, other) => ERRORS[one].status - ERRORS[other].status);
  const rows = codes.map((code) => {
    const { status, means, again, final } = ERRORS[code];
    return [`${status}`, `\`${code}\``, means, again ? 'again' : final ? 'final' : ''];
  });
  return `${INTRODUCTION}\n${markdownTable([['status', 'code', 'meaning', ''], ...rows])}`;
}
