import { createTextWork } from '../../../adapters/text-work/text-work.ts';
import { markdownTable } from '../../../domain/markdown-table.ts';
import {
  BROKEN_MODELS,
  LYING_MODELS,
  measureAnswers,
  measureInvented,
  measureOffline,
  TRUE_MODELS,
} from './measure-answers.ts';

/** Asks all questions of every model, and says how many of its sentences were marked as supported. */
export async function reportAnswers(): Promise<string> {
  const text = createTextWork({ slots: 1 });
  try {
    const rows: string[][] = [['model', 'sentences', 'supported', 'false quotes returned', 'failed']];
    for (const [name, behave] of Object.entries({ ...TRUE_MODELS, ...LYING_MODELS, ...BROKEN_MODELS })) {
      const { sentences, supported, falseQuotes, refused } = await measureAnswers(name, behave, text);
      rows.push([name, ...[sentences, supported, falseQuotes, refused].map(String)]);
    }
    const invented = await measureInvented(text);
    rows.push([invented.name, String(invented.sentences), String(invented.supported), '0', '0']);
    const { found, first, questions, answeredWrongly, unanswerable } = await measureOffline(text);
    return `${markdownTable(rows)}
Without a model: ${found} of ${questions} answers found, ${first} of them first; ${answeredWrongly} of ${unanswerable} questions
without an answer answered.`;
  } finally {
    await text.close();
  }
}
