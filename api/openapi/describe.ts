import { creditsFor, extractionCharges, LEVEL_CREDITS } from '../../domain/accounts/credits.ts';
import { ACTIONS, type Action } from '../../domain/accounts/access.ts';
import { TIER_LIMITS, UNLIMITED } from '../../domain/accounts/tiers.ts';
import { PAGES_A_CREDIT } from '../../domain/documents/page.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { markdownTable } from '../../domain/markdown-table.ts';
import { totalCredits, USAGE_LEVELS, type UsageLevel } from '../../domain/operations.ts';
import { DEFAULT_JSON_BYTES } from '../http/read-json.ts';
import { PROGRAM_PAGES } from './guide-pages.ts';
import type { Cost, Route } from '../http/route.ts';
import { LONG_ANSWERS } from '../http/tenant-slots.ts';

const credits = (number: number) => `${number} credit${number === 1 ? '' : 's'}`;
const IMAGE = `${credits(creditsFor('image'))} for an image`;
const PAGES = `1 for each ${PAGES_A_CREDIT} pages begun`;
const READING = creditsFor('document', ['text_extraction']);
const DOCUMENT = `for a document ${PAGES} (at least ${READING}) and ${creditsFor('document') - READING} for its description`;
const EXTRACTION = totalCredits(extractionCharges('standard'));
const LEVELS = USAGE_LEVELS.map((level: UsageLevel) => `${level} ${LEVEL_CREDITS[level]}`).join(', ');
const SETTLED = 'Credits are reserved when the work is accepted and returned if it does not succeed.';

/** The costs of operations in words, derived from the tables of credits. */
const COSTS: Readonly<Record<Cost, string>> = {
  file: `${IMAGE}, none without \`auto_describe\`; ${DOCUMENT}; ${EXTRACTION} more for an extraction by a saved schema. ${SETTLED}`,
  image: `${IMAGE}. ${SETTLED}`,
  document: `${capitalized(DOCUMENT)}. ${SETTLED}`,
  link: `${credits(creditsFor('link'))} for a page, none without \`auto_describe\`; a file of another medium as if it was uploaded. ${SETTLED}`,
  extraction: `By level: ${LEVELS}; \`default\` is \`standard\`. ${SETTLED}`,
  answer: `For an answer by a model, by level: ${LEVELS}; \`default\` is \`standard\`. ${SETTLED}`,
  retry: `The cost of the components that run again, unless they are already paid for. ${SETTLED}`,
};

/**
 * The description of an operation in paragraphs: details, meaning of 202, cost, limits and required access.
 */
export function describe(route: Route): string {
  return [
    route.description ?? `${route.summary}.`,
    route.accepted && `**202**: ${route.accepted}`,
    `**Cost**: ${route.cost ? COSTS[route.cost] : 'no credits.'}`,
    `**Limits**: ${limitsOf(route).join('; ')}.`,
    'public' in route ? 'Needs no key.' : accessText(route.permit),
  ]
    .filter((paragraph) => paragraph !== undefined)
    .join('\n\n');
}

function limitsOf(route: Route): string[] {
  const limits = 'public' in route ? ['requests of an address'] : ['the requests a minute of the account'];
  if ('limit' in route && route.limit) {
    const { requests, per, of: owner = 'account' } = route.limit;
    limits.push(`${requests} of these requests ${per === 'hour' ? 'an' : 'a'} ${per} for the ${owner}`);
  }
  if ('streamed' in route && route.streamed === 'in_turn')
    limits.push(`long answers: ${LONG_ANSWERS.atOnce} at once for the account`);
  if (route.form) limits.push(`${sizeText(MAX_STREAMED_BYTES)} a file, or less where its field says so`);
  if (route.body) limits.push(`${sizeText(route.maxBodyBytes ?? DEFAULT_JSON_BYTES)} of JSON`);
  return limits;
}

function sizeText(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes < 1 ? `${bytes / 1024} KB` : `${Math.floor(megabytes)} MB`;
}

function accessText(action: Action): string {
  const rule = ACTIONS[action];
  const permission = 'permission' in rule ? `${rule.permission} permission` : 'no permission';
  return rule.by === 'session'
    ? `Needs a login session and ${permission}.`
    : `Needs ${permission}; of an API key with scopes, \`${action}\`.`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The introduction of the document: how to get a key, further reading, and the limits of each tier. */
export function introduction(): string {
  const rows = Object.entries(TIER_LIMITS).map(([tier, limits]) => [
    tier.toUpperCase(),
    limits.apiAccess ? 'yes' : 'no',
    `${limits.requestsPerMinute}`,
    limits.creditsPerMonth === UNLIMITED ? 'unlimited' : `${limits.creditsPerMonth}`,
    `${limits.filesPerBatch}`,
  ]);
  const pages = PROGRAM_PAGES.map(({ path, title }) => `[${title}](docs/${path})`);
  const heads = ['tier', 'API keys', 'requests a minute', 'credits a month', 'files a batch'];
  return `Send images, documents, videos and links; get back web sizes, text, structure, descriptions, data by your own schema, and
search.
Every failure is reported, and every wait has a stated cause.

**A key.** Register with \`POST /auth/register\`, log in, and create one with \`POST /api-keys\`; or ask the operator, who can
run \`npm run admin -- create-key\`. Send it as \`X-API-Key\` or as \`Authorization: Bearer\`. It begins with \`drk_\` and is shown only once.

**Further reading.** The guide: [a first day](docs/api-guide.md), and by kind of client: ${pages.join(', ')}. [Errors and
limits](docs/api-guide.md#errors-and-limits), [every error code](docs/errors.md), [names of older clients](docs/older-endpoints.md).

**Limits.** These are the limits of the tiers; an account may have its own. Above them the answer is 429 with \`Retry-After\`.

${markdownTable([heads, ...rows])}
All times are UTC. Responses may gain fields: ignore unknown ones. 202 means that work continues: each operation says how
to follow it. The document without the operations of older clients is at \`openapi.json?deprecated=false\`; for client programs, also
without those that need a login session, at \`openapi.json?for=programs\`.`;
}
