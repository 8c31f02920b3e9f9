import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installPython } from '../../shared/virtual-environment.ts';
import type { DocumentType } from 'darkroom-reader/document';
import { markdownExtraction } from './markdown-extraction.ts';
import type { System } from './system.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const TIMEOUT_MS = 300_000;

/**
 * Starts the peers from PyPI in a separate virtual environment and in their own processes, so that none is a
 * dependency.
 */
export async function startPeers(signal: AbortSignal): Promise<System[]> {
  const requirements = here('requirements.txt');
  const proof: [string, string, string] = ['bin/python', '-c', 'import pdfplumber, pymupdf4llm, markitdown'];
  const folder = await installPython({ name: 'document-peers', requirements, proof }, signal);
  const pinned = new Map(
    readFileSync(requirements, 'utf8')
      .split('\n')
      .map((line) => line.split('==') as [string, string]),
  );
  return ['pymupdf4llm', 'markitdown', 'pdfplumber'].map((program) =>
    startPeer(folder, program, pinned.get(program) ?? ''),
  );
}

interface Answer {
  markdown?: string;
  tables?: string[][][];
}

function startPeer(folder: string, program: string, version: string): System {
  const child = spawn(join(folder, 'bin', 'python'), [here('peers.py')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout });
  const readsAll = program === 'markitdown';
  const tablesOnly = program === 'pdfplumber';
  async function read(type: DocumentType, path: string): Promise<Answer> {
    if (!readsAll && type !== 'pdf') return {};
    const answer = once(lines, 'line', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    child.stdin.write(`${JSON.stringify({ program, path })}\n`);
    const [line] = (await answer) as [string];
    return JSON.parse(line) as Answer;
  }
  return {
    name: `${program} ${version.trim()}`,
    tablesOnly,
    async extract({ type }, path) {
      const { markdown, tables } = await read(type, path);
      if (tables) return { text: '', headings: [], tables };
      return markdown === undefined ? undefined : markdownExtraction(markdown);
    },
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
