import { createTextWork } from '../../../engines/text-work/text-work.ts';
import { markdownTable } from '../../../domain/markdown-table.ts';
import {
  BROKEN_MODELS,
  LYING_MODELS,
  measureAnswers,
  measureInvented,
  measureOffline,
  TRUE_MODELS,
} from './measure-answers.ts';
import { isSupported, RESTATED } from './own-words.ts';
import { type Asking, measureManuals } from './measure-manuals.ts';
import type { PlainAnswers } from './measure-plain-answers.ts';

/** Asks about short texts by way of the client for models alone, then about real manuals by way of the whole service. */
export async function reportAnswers(asking: Asking): Promise<string> {
  return [await reportTexts(), reportRestated(), await reportManuals(asking)].join('\n\n');
}

/** @param isListed whether the questions follow that were not answered rightly */
export function reportPlainAnswers(scores: readonly PlainAnswers[], isListed: boolean): string {
  return scores
    .flatMap(({ documents, answerable, right, first, wrong, unanswerable, falselyAnswered, failed }) => [
      `${answerable} questions with an answer in ${documents} documents: ${right} right, ${first} of them first; ${wrong} wrong`,
      `${unanswerable} without: ${falselyAnswered} answered`,
      ...(isListed ? failed.map((text) => `  ${text}`) : []),
    ])
    .join('\n');
}

/** Sentences of a model that uses the words of their source, compared with it one by one. */
function reportRestated(): string {
  const count = (of: 'trues' | 'lies') => {
    const all = RESTATED.flatMap(({ source, [of]: texts }) => texts.map((text) => ({ source, text })));
    const supported = all.filter(({ source, text }) => isSupported(text, source));
    return `${supported.length} of ${all.length}`;
  };
  return `Supported in other words: ${count('trues')} true sentences, ${count('lies')} lies`;
}

/** Asks all questions of every model, and says how many of its sentences were marked as supported. */
async function reportTexts(): Promise<string> {
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

async function reportManuals(asking: Asking): Promise<string> {
  const { passages, asked, found, honest, lies, offline, unanswerable, falseQuotes } =
    await measureManuals(asking);
  const rows = [
    ['lies of the model', 'told', 'supported'],
    ...[...lies].map(([kind, { told, passed }]) => [kind, String(told), String(passed.length)]),
  ];
  const passed = [...lies].flatMap(([kind, lie]) => lie.passed.map((text) => `  ${kind}: ${text}`));
  return `${asked} questions on real manuals, ${passages} passages; ${found} found a passage with the answer
An honest model: ${honest.complete} complete, ${honest.supported} of them supported
Without a model: ${offline.found} with the quote, ${offline.first} of them first
${unanswerable.asked} questions without an answer, not in these documents: ${unanswerable.honest} by the honest model,
${unanswerable.offline} without a model
False quotes returned: ${falseQuotes}

${markdownTable(rows)}
${['Lies that were supported:', ...passed, 'Complete answers that were not:', ...honest.marked.map((text) => `  ${text}`)].join('\n')}`;
}
