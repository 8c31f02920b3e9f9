import { ANSWERED_CODES, ERRORS } from '../../domain/app-error.ts';

const INTRODUCTION = `# Errors

Every code that the API answers with, by status; \`npm run openapi\` writes this page from the registry. The OpenAPI document has the codes of
each operation, and the [API guide](api-guide.md#errors-and-limits) what an error looks like. With a code marked "again", the same request may
succeed later: wait for \`Retry-After\` seconds where the answer has that header. One marked "final" has a status of the service, as the contract says, but is about the content of the
request: the same request gets the same answer, and \`x-should-retry: false\` says so to clients that repeat requests by themselves.
`;

/** docs/errors.md: a list of the codes of each status. */
export function errorsPage(): string {
  const lists = [...Map.groupBy(ANSWERED_CODES, (code) => ERRORS[code].status)].toSorted(
    ([one], [other]) => one - other,
  );
  return [
    INTRODUCTION,
    ...lists.map(([status, codes]) => `## ${status}\n\n${codes.map(lineOf).join('\n')}\n`),
  ].join('\n');
}

function lineOf(code: (typeof ANSWERED_CODES)[number]): string {
  const { means, again, final } = ERRORS[code];
  return `- \`${code}\`${again ? ' (again)' : final ? ' (final)' : ''}: ${means}`;
}
