import { MAX_TAG_LENGTH, MAX_UPLOAD_TAGS } from '../../domain/limits.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';
import { readFlags, wholeNumber } from '../shared/flags.ts';

const MIB = 1024 * 1024;

export const HELP = `Usage: npm run ingest -- DIR [options]

Sends every file of a folder to Darkroom and waits until it is processed. Files that are there already are not sent
again, so the same command goes on after an interruption, and later sends what is new.

  --api URL            of the API; else DARKROOM_API, else the stack that runs on this machine
  --key KEY            an API key; else DARKROOM_KEY, else that of the stack on this machine
  --tags a,b           for every file
  --concurrency N      requests that send files at the same time, 1 to 16 (3)
  --direct-over BYTES  larger files go straight to the object store (16777216); the highest is 104857600
  --patience SECONDS   how long to wait for an API that is out of reach (300)
  --state FILE         what is known of the folder; else one for each folder and API in
                       $XDG_STATE_HOME/darkroom/ingest, which is ~/.local/state/darkroom/ingest
  --no-describe        variants only: no text, no description, no credits
  --no-wait            ends once the files are sent
  --help

Folders are walked to the bottom. Hidden files and folders are left out, symbolic links are not followed.
FIFOs, sockets and devices are left out and counted. A file whose name is not UTF-8 has to be renamed.

Exit code: 0 all files are there and processed, 1 some were rejected or failed, 2 could not begin, 130 stopped.`;

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
 * @returns undefined when it asks for help
 * @throws CannotBegin when it cannot be meant
 */
export function readOptions(args: string[]): IngestOptions | undefined {
  const given = readFlags(args, FLAGS, 1);
  if (!given) return undefined;
  const { values, positionals } = given;
  const [folder] = positionals;
  if (folder === undefined) throw new CannotBegin('Which folder? Name it: npm run ingest -- DIR');
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
  if (tags.length > MAX_UPLOAD_TAGS) throw new CannotBegin(`--tags takes ${MAX_UPLOAD_TAGS} tags at most.`);
  const long = tags.find((tag) => tag.length > MAX_TAG_LENGTH);
  if (long !== undefined)
    throw new CannotBegin(`The tag "${long}" is longer than ${MAX_TAG_LENGTH} characters.`);
  return tags;
}
