import { MAX_TAG_LENGTH, MAX_UPLOAD_TAGS } from '../../domain/limits.ts';
import { UsageError } from '../shared/usage-error.ts';
import { readFlags, wholeNumber } from '../shared/flags.ts';

const MIB = 1024 * 1024;

export const HELP = `Usage: npm run ingest -- DIR [options]

Uploads every file of a folder to Darkroom and waits until it is processed. Files that Darkroom already has are skipped,
so the same command resumes after an interruption, and later sends only new files.

  --api URL            the API; default: DARKROOM_API, or the stack on this machine
  --key KEY            an API key; default: DARKROOM_KEY, or that of the stack on this machine
  --tags a,b           tags for every file
  --concurrency N      concurrent uploads, 1 to 16 (default 3)
  --direct-over BYTES  larger files go directly to the object store (default 16777216, at most 104857600)
  --patience SECONDS   how long to wait for an unreachable API (default 300)
  --state FILE         progress file; default: one per folder and API in
                       $XDG_STATE_HOME/darkroom/ingest, usually ~/.local/state/darkroom/ingest
  --no-describe        variants only: no text, no description, no credits used
  --no-wait            exit once the files are sent
  --help

Subfolders are included. Hidden files and folders are skipped, symbolic links are not followed. FIFOs, sockets and
devices are skipped and counted. A file whose name is not UTF-8 must be renamed.

Exit code: 0 all files are uploaded and processed, 1 some were rejected or failed, 2 could not start,
130 interrupted.`;

export interface IngestOptions {
  folder: string;
  api?: string;
  key?: string;
  tags: string[];
  concurrency: number;
  directOverBytes: number;
  patienceMs: number;
  state?: string;
  describe: boolean;
  wait: boolean;
}

const FLAGS = {
  api: { type: 'string' },
  key: { type: 'string' },
  tags: { type: 'string', default: '' },
  concurrency: { type: 'string', default: '3' },
  'direct-over': { type: 'string', default: String(16 * MIB) },
  patience: { type: 'string', default: '300' },
  state: { type: 'string' },
  'no-describe': { type: 'boolean', default: false },
  'no-wait': { type: 'boolean', default: false },
} as const;

/**
 * Reads the command line.
 *
 * @returns undefined for --help
 * @throws UsageError for invalid options
 */
export function readOptions(args: string[]): IngestOptions | undefined {
  const given = readFlags(args, FLAGS, 1);
  if (!given) return undefined;
  const { values, positionals } = given;
  const [folder] = positionals;
  if (folder === undefined) throw new UsageError('Which folder? Name it: npm run ingest -- DIR');
  return {
    folder,
    tags: readTags(values.tags),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 16),
    directOverBytes: wholeNumber('--direct-over', values['direct-over'], 0, 100 * MIB),
    patienceMs: 1000 * wholeNumber('--patience', values.patience, 1, 86_400),
    describe: !values['no-describe'],
    wait: !values['no-wait'],
    ...(values.api !== undefined && { api: values.api }),
    ...(values.key !== undefined && { key: values.key }),
    ...(values.state !== undefined && { state: values.state }),
  };
}

function readTags(text: string): string[] {
  const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  if (tags.length > MAX_UPLOAD_TAGS)
    throw new UsageError(`Too many tags: --tags takes at most ${MAX_UPLOAD_TAGS}.`);
  const long = tags.find((tag) => tag.length > MAX_TAG_LENGTH);
  if (long !== undefined)
    throw new UsageError(`The tag "${long}" is too long: at most ${MAX_TAG_LENGTH} characters.`);
  return tags;
}
