import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { OpenDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { markdownBudgetMs } from '../limits.ts';
import { readText } from '../text/open-text.ts';
import { textElements } from '../text/text-elements.ts';

/** The Markdown parser needs about a hundred times the memory of its text. */
const PARSER_MEMORY = { maxOldGenerationSizeMb: 700, stackSizeMb: 4 };
const CHECK_MS = 100;
const READ_AS_TEXT =
  'Read as plain text: its Markdown is nested too deeply, or takes too much time or memory for its length.';

/**
 * @param before the note of an earlier attempt to parse it, if it failed
 * @throws UnreadableDocument
 */
export async function openMarkdown(path: string, before: string | null): Promise<OpenDocument> {
  const { text, notes } = await readText(path);
  const { body, fields, others } = readFrontMatter(text);
  const front = fields.map(([key, value]): FlowElement => ({ type: 'key_value', key, value }));
  if (others.length > 0) front.push({ type: 'paragraph', content: others.join('\n') });
  const named = new Map(fields);
  const parsed = before?.includes(READ_AS_TEXT) ? undefined : await parse(body);
  return flowDocument({
    pages: [[...front, ...(parsed ?? textElements(body))]],
    title: named.get('title') ?? null,
    author: named.get('author') ?? null,
    notes: [...notes, parsed ? undefined : READ_AS_TEXT],
  });
}

/**
 * The elements of Markdown; undefined if the parser fails or exceeds the budget for the text's length.
 *
 * @throws if there is no working thread, so that the task is repeated
 */
async function parse(body: string): Promise<FlowElement[] | undefined> {
  const thread = new Worker(new URL('./parse-markdown.ts', import.meta.url), {
    workerData: body,
    resourceLimits: PARSER_MEMORY,
  });
  // The process does no other work meanwhile.
  const before = process.cpuUsage();
  const budget = Promise.withResolvers<undefined>();
  const checks = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > markdownBudgetMs(body.length)) budget.resolve(undefined);
  }, CHECK_MS);
  try {
    const answer = once(thread, 'message').then(([elements]) => elements as FlowElement[]);
    const exit = once(thread, 'exit').then(([code]) => {
      const error = new Error(`The Markdown parser ended without an answer, with the status ${code}.`);
      throw Object.assign(error, { code: 'NO_ANSWER' });
    });
    return await Promise.race([answer, budget.promise, exit]);
  } catch (error) {
    // Out of stack or memory, or a fault of the parser: the document is read as plain text.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
    throw error;
  } finally {
    clearInterval(checks);
    await thread.terminate();
  }
}

const BLOCK = /^---[ \t]*\n([\s\S]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const FIELD = /^([\p{L}_][\p{L}\p{N}_ -]{0,40}):[ \t]+(\S.*)$/u;

interface FrontMatter {
  /** The text after the block. */
  body: string;
  /** Plain fields, in order. */
  fields: [key: string, value: string][];
  /** Other lines of the block, such as lists and nested fields. */
  others: string[];
}

/** Separates the front matter of a Markdown document. */
function readFrontMatter(text: string): FrontMatter {
  const block = BLOCK.exec(text);
  if (!block) return { body: text, fields: [], others: [] };
  const fields: FrontMatter['fields'] = [];
  const others: string[] = [];
  for (const line of (block[1] ?? '').split('\n')) {
    const [, key, value] = FIELD.exec(line) ?? [];
    if (key !== undefined && value !== undefined)
      fields.push([key, value.trim().replace(/^(["'])(.*)\1$/, '$2')]);
    else if (line.trim() !== '') others.push(line.trimEnd());
  }
  return { body: text.slice(block[0].length), fields, others };
}
