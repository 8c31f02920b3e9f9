import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { Darkroom as Client } from '../../../sdk/src/index.ts';
import { answers, bare } from '../retrieval/answers.ts';
import type { Half } from '../retrieval/manuals.ts';
import { unpackDebian } from '../systems/debian-packages.ts';
import type { Asking } from './measure-manuals.ts';

const half = z.strictObject({
  /** Of packages of Debian, or of those of npm that the project uses. */
  documents: z.array(z.strictObject({ package: z.string(), file: z.string() })).length(10),
  /** Verbatim quotes of which each answers, without spaces and marks; none if no document answers. */
  questions: z.array(z.strictObject({ question: z.string(), answers: z.array(z.string()) })),
});

/** How questions were answered without a model that writes. */
export interface PlainAnswers {
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

/** Uploads the documents of both halves to a service of its own, and asks the questions of one. */
export async function measurePlainAnswers(
  which: Half,
  { env, stop, progress }: Omit<Asking, 'darkroom'>,
): Promise<PlainAnswers> {
  const [development, heldOut] = await Promise.all([readHalf('development'), readHalf('held-out')]);
  const { questions } = which === 'development' ? development : heldOut;
  progress('starting servers');
  const stack = await startDisposableStack(env, { signal: stop });
  try {
    const { api_url: baseUrl, api_key: apiKey } = stack.runInfo;
    const client = new Client({ baseUrl, apiKey });
    for (const document of [...development.documents, ...heldOut.documents]) {
      progress(`uploading ${document.file}`);
      const { bytes, filename } = await readDocument(document);
      const { file_id: id } = await client.upload(bytes, { filename, signal: stop });
      const { primary_status: status } = await client.wait(id, {
        signal: AbortSignal.any([stop, AbortSignal.timeout(READING_MS)]),
      });
      if (status !== 'completed') throw new Error(`${document.file} ended as ${status}`);
    }
    const result: PlainAnswers = {
      answerable: 0,
      right: 0,
      first: 0,
      wrong: 0,
      unanswerable: 0,
      falselyAnswered: 0,
      failed: [],
    };
    for (const asked of questions) {
      progress(asked.question);
      const { answered, sentences } = await client.ask(asked.question, {
        timeout: TIMEOUT_SECONDS,
        signal: stop,
      });
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
  } finally {
    await stack.stop({ keepData: false });
  }
}

async function readHalf(name: Half) {
  const path = new URL(`questions/${name}.json`, import.meta.url);
  return half.parse(JSON.parse(await readFile(path, 'utf8')));
}

async function readDocument({ package: name, file }: { package: string; file: string }) {
  const root = name === 'npm' ? join(PROJECT_ROOT, 'node_modules') : await unpackDebian(name, [name]);
  const bytes = await readFile(join(root, file));
  const isPacked = file.endsWith('.gz');
  const plain = basename(file, isPacked ? '.gz' : '');
  return {
    bytes: isPacked ? await promisify(gunzip)(bytes) : bytes,
    // Licences have no type in their names.
    filename: /^\.(?:csv|html|md|txt)$/.test(extname(plain)) ? plain : `${plain}.txt`,
  };
}
