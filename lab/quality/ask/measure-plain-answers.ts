import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { type Answer, Darkroom as Client } from '../../../sdk/src/index.ts';
import { answers, bare } from '../retrieval/answers.ts';
import { type Half, halfOf } from '../half.ts';
import { unpackDebian } from '../systems/debian-packages.ts';
import { unpackPypi } from '../systems/pypi-archives.ts';
import type { Asking } from './measure-manuals.ts';

const askedDocuments = z.strictObject({
  /** Of packages of Debian, of source archives of PyPI (`name==version`), or of the packages of npm that the project uses. */
  documents: z.array(z.strictObject({ package: z.string(), file: z.string() })),
  /** Verbatim quotes of which each answers, without spaces and marks; none if no document answers. */
  questions: z.array(z.strictObject({ question: z.string(), answers: z.array(z.string()) })),
});

type AskedDocuments = z.output<typeof askedDocuments>;

/** How questions on some documents were answered without a model that writes. */
export interface PlainAnswers {
  documents: number;
  answerable: number;
  /** Of these, those with a right sentence among the answer, those where it is the first, and those with only wrong ones. */
  right: number;
  first: number;
  wrong: number;
  unanswerable: number;
  /** Of these, those that were answered nevertheless. */
  falselyAnswered: number;
  /** Questions that were not answered rightly, with what was answered. */
  failed: string[];
}

const TIMEOUT_SECONDS = 110;
/** Of one document, also on a busy machine. */
const READING_MS = 600_000;

/**
 * Uploads documents to a service of its own, and asks the questions of one half: first those of the documents that each half
 * has brought, then the everyday questions.
 */
export async function measurePlainAnswers(
  half: Half,
  { env, stop, progress }: Omit<Asking, 'darkroom'>,
): Promise<PlainAnswers[]> {
  const sets = await readSets(half);
  progress('starting servers');
  const stack = await startDisposableStack(env, { signal: stop });
  try {
    const { api_url: baseUrl, api_key: apiKey } = stack.runInfo;
    const client = new Client({ baseUrl, apiKey });
    const measured: PlainAnswers[] = [];
    for (const { documents, questions } of sets) {
      const ids: string[] = [];
      for (const document of documents) {
        progress(`uploading ${document.file}`);
        ids.push(await upload(client, document, stop));
      }
      const ask = (question: string) => {
        progress(question);
        return client.ask(question, { document_ids: ids, timeout: TIMEOUT_SECONDS, signal: stop });
      };
      measured.push({ documents: ids.length, ...(await scoreAnswers(questions, ask)) });
    }
    return measured;
  } finally {
    await stack.stop({ keepData: false });
  }
}

async function readSets(half: Half): Promise<AskedDocuments[]> {
  const [development, heldOut, everyday] = await Promise.all([
    readQuestions('development'),
    readQuestions('held-out'),
    readQuestions('everyday'),
  ]);
  const { questions } = half === 'development' ? development : heldOut;
  return [
    { documents: [...development.documents, ...heldOut.documents], questions },
    { ...everyday, questions: everyday.questions.filter(({ question }) => halfOf(question) === half) },
  ];
}

async function readQuestions(name: Half | 'everyday'): Promise<AskedDocuments> {
  const path = new URL(`questions/${name}.json`, import.meta.url);
  return askedDocuments.parse(JSON.parse(await readFile(path, 'utf8')));
}

async function upload(
  client: Client,
  document: AskedDocuments['documents'][number],
  stop: AbortSignal,
): Promise<string> {
  const { bytes, filename } = await readDocument(document);
  const { file_id: id } = await client.upload(bytes, { filename, signal: stop });
  const { primary_status: status } = await client.wait(id, {
    signal: AbortSignal.any([stop, AbortSignal.timeout(READING_MS)]),
  });
  if (status !== 'completed') throw new Error(`${document.file} ended as ${status}`);
  return id;
}

async function scoreAnswers(
  questions: AskedDocuments['questions'],
  ask: (question: string) => Promise<Pick<Answer, 'answered' | 'sentences'>>,
): Promise<Omit<PlainAnswers, 'documents'>> {
  const result: Omit<PlainAnswers, 'documents'> = {
    answerable: 0,
    right: 0,
    first: 0,
    wrong: 0,
    unanswerable: 0,
    falselyAnswered: 0,
    failed: [],
  };
  for (const asked of questions) {
    const { answered, sentences } = await ask(asked.question);
    const isRight = sentences.map(({ text }) => answers(bare(text), { ...asked, kind: 'plain' }));
    const isAnswerable = asked.answers.length > 0;
    if (isAnswerable) {
      result.answerable += 1;
      result.right += Number(isRight.includes(true));
      result.first += Number(isRight[0] === true);
      result.wrong += Number(answered === true && !isRight.includes(true));
    } else {
      result.unanswerable += 1;
      result.falselyAnswered += Number(answered === true);
    }
    if (isAnswerable ? !isRight.includes(true) : answered === true)
      result.failed.push(`${asked.question} → ${sentences.map(({ text }) => text).join(' … ') || 'none'}`);
  }
  return result;
}

async function readDocument({ package: name, file }: AskedDocuments['documents'][number]) {
  const root = await rootOf(name);
  const bytes = await readFile(join(root, file));
  const isPacked = file.endsWith('.gz');
  const plain = basename(file, isPacked ? '.gz' : '');
  return {
    bytes: isPacked ? await promisify(gunzip)(bytes) : bytes,
    // Licences have no type in their names.
    filename: /^\.(?:csv|html|md|pdf|txt)$/.test(extname(plain)) ? plain : `${plain}.txt`,
  };
}

function rootOf(name: string): string | Promise<string> {
  if (name === 'npm') return join(PROJECT_ROOT, 'node_modules');
  return name.includes('==') ? unpackPypi(name) : unpackDebian(name, [name]);
}
