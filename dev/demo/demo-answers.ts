import type { DemoApi, DemoFile } from './demo-api.ts';

/** Answered, in this order, by a PDF, a table in a Word document, a scan, and a web page. */
const QUESTIONS = [
  'How long is the warranty of the pump?',
  'What does the parking space cost?',
  'Who paid for the moorings?',
  'What does a ticket of the harbour museum cost?',
];
const SHOWN = 480;

/**
 * Describes which part of which document or page answers each of a few questions. Empty if the run added none of them.
 *
 * @param files files of this run; questions are limited to them
 */
export async function describeAnswers(api: DemoApi, files: DemoFile[]): Promise<string> {
  const texts = files.filter(({ media_type: type }) => type === 'document' || type === 'link');
  if (texts.length === 0) return '';
  const ids = texts.map(({ id }) => id);
  const lines: string[] = [];
  for (const question of QUESTIONS) {
    const answer = await api.ask(question, ids);
    const { title, media_type: type } = texts.find(({ id }) => id === answer?.document_id) ?? {};
    lines.push(`“${question}”`);
    const place = type === 'document' ? `, page ${answer?.page_numbers.join(', ')}` : '';
    if (answer) lines.push(`  ${title}${place}`);
    lines.push(...wrap(answer ? shorten(answer.content) : 'no answer').map((line) => `    ${line}`));
  }
  return lines.join('\n');
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** Matches, in this order: a title, text in an image, a title despite a typo, a measured colour, and a web page. */
const SEARCHES = ['rocket', 'auto refresh', 'chelsae', 'navy', 'customs house'];
const FINDS_SHOWN = 3;

/**
 * Describes similar images and the results of a few searches.
 *
 * @param files files of this run; results from earlier runs are omitted
 */
export async function describeFinds(api: DemoApi, files: DemoFile[]): Promise<string> {
  const title = (id: string) => files.find((file) => file.id === id)?.title;
  const lines: string[] = [];
  const reference = files.find(({ title: name }) => name === 'Coffee');
  if (reference) {
    const alike = (await api.similar(reference.id)).filter(({ id }) => title(id) !== undefined);
    const list = alike
      .slice(0, FINDS_SHOWN)
      .map(({ id, similarity }) => `${title(id)} (${similarity.toFixed(2)})`);
    lines.push(`Looks like ${reference.title}: ${list.join(', ')}`);
  }
  // Known at once where the models were there before.
  const isSeen = files.some(({ tags }) => tags.includes(SEEN));
  for (const words of isSeen ? [...SEARCHES, SEEN] : SEARCHES) {
    lines.push(await describeSearch(api, files, words));
  }
  return lines.join('\n');
}

/** What models see in one of the photographs. */
const SEEN = 'cat';

/** Describes what models see in photographs, and a search that finds one by it. */
export async function describeSeen(api: DemoApi, photographs: DemoFile[]): Promise<string> {
  return [
    'With the models:',
    ...photographs.map(({ title, tags }) => `  ${title}: ${tags.join(', ')}`),
    await describeSearch(api, photographs, SEEN),
  ].join('\n');
}

async function describeSearch(api: DemoApi, files: DemoFile[], words: string): Promise<string> {
  const found = (await api.search(words)).flatMap((id) => files.find((file) => file.id === id)?.title ?? []);
  return `Search for “${words}”: ${found.slice(0, FINDS_SHOWN).join(', ') || 'nothing'}`;
}

/** Width of texts in the report. */
export const TEXT_WIDTH = 86;

/** The lines of a text, broken between words. */
export function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= TEXT_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
