/**
 * Checks that the answers of the questions are quoted from their manuals and are not so common that a hit may be
 * chance. Nothing is searched.
 */
import { readFlags } from '../../../cli/shared/flags.ts';
import { runCommand } from '../../../cli/shared/run-command.ts';
import { createDarkroom } from '../systems/darkroom.ts';
import { bare } from './answers.ts';
import { readManuals, type QuestionedManual } from './manuals.ts';
import { divideManual, type DividedFile } from './passages.ts';

const HELP = `Usage: node lab/quality/retrieval/check-questions.ts [--final]

Checks the answers of the development questions, or with --final of the held-out ones, against their manuals.
Exit code: 0 all are well, 1 some are not, 2 the run could not be completed.`;
/** A quote in more passages is not distinctive. */
const MOST_PASSAGES = 3;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), { final: { type: 'boolean', default: false } });
  if (!given) return undefined;
  const darkroom = createDarkroom(new AbortController().signal);
  try {
    const problems: string[] = [];
    for (const manual of await readManuals(given.values.final ? 'held-out' : 'development')) {
      const files = await divideManual(manual, darkroom);
      const found = problemsOf(manual, files);
      problems.push(...found.map((problem) => `${manual.name}: ${problem}`));
      const chunks = files.reduce((sum, file) => sum + file.chunks.length, 0);
      console.log(`${manual.name}: ${manual.questions.length} questions, ${chunks} chunks`);
    }
    console.log(problems.join('\n'));
    return problems.length === 0 ? 0 : 1;
  } finally {
    await darkroom.close();
  }
});

function problemsOf({ questions }: QuestionedManual, files: readonly DividedFile[]): string[] {
  const chunks = files.flatMap((file) => file.chunks.map(({ content }) => bare(content)));
  const windows = files.flatMap((file) => file.windows.map(bare));
  return questions.flatMap(({ question, answers }) =>
    answers.flatMap((answer) => {
      const quote = bare(answer);
      const among = (passages: readonly string[]) => passages.filter((text) => text.includes(quote)).length;
      if (among(chunks) === 0) return [`"${answer}" is in no chunk (${question})`];
      if (among(windows) === 0) return [`"${answer}" is in no window (${question})`];
      if (among(chunks) > MOST_PASSAGES) return [`"${answer}" is in ${among(chunks)} chunks (${question})`];
      return [];
    }),
  );
}
