import type { DemoApi, DemoFile } from './demo-api.ts';

/** Answered by a PDF, by a table of a Word document, and by a scan. */
const QUESTIONS = [
  'How long is the warranty of the pump?',
  'What does the parking space cost?',
  'Who paid for the moorings?',
];
const SHOWN = 480;

/**
 * Describes which part of which document answers a few questions; empty without documents.
 *
 * @param files files of this run; questions are limited to them
 */
export async function describeAnswers(api: DemoApi, files: DemoFile[]): Promise<string> {
  const documents = files.filter(({ media_type: type }) => type === 'document');
  if (documents.length === 0) return '';
  const ids = documents.map(({ id }) => id);
  const lines: string[] = [];
  for (const question of QUESTIONS) {
    const answer = await api.ask(question, ids);
    const title = documents.find(({ id }) => id === answer?.document_id)?.title;
    lines.push(`“${question}”`);
    if (answer) lines.push(`  ${title}, page ${answer.page_numbers.join(', ')}`);
    lines.push(...wrap(answer ? shorten(answer.content) : 'no answer').map((line) => `    ${line}`));
  }
  return lines.join('\n');
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** Found in a title, in the text of an image, despite a typo, and in a measured colour. */
const SEARCHES = ['rocket', 'auto refresh', 'chelsae', 'navy'];
const FINDS_SHOWN = 3;

/**
 * Describes similar images and the results of a few searches.
 *
 * @param files those of this run; results from earlier runs are left out
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
  for (const words of SEARCHES) {
    const found = (await api.search(words)).flatMap((id) => title(id) ?? []);
    lines.push(`Search for “${words}”: ${found.slice(0, FINDS_SHOWN).join(', ') || 'nothing'}`);
  }
  return lines.join('\n');
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
