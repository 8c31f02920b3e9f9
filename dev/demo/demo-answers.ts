import type { DemoApi, DemoFile } from './demo-api.ts';
import { wrap } from './wrap.ts';

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
 * @param files those of this run; only they are asked
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
