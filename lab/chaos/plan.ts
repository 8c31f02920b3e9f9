import { type Dice, createDice } from '../shared/dice.ts';
import { planFaults, type Fault, type Possible } from './plan-faults.ts';

/**
 * Kinds of files with their shares. A scan has no text layer; a link is the address of a page of the run's own web site.
 */
const SHARES = {
  png: 0.42,
  jpg: 0.3,
  pdf: 0.09,
  scan: 0.005,
  docx: 0.03,
  txt: 0.04,
  md: 0.04,
  link: 0.06,
  video: 0.015,
} as const;
export type Kind = keyof typeof SHARES;
const EXTENSIONS: Readonly<Partial<Record<Kind, string>>> = { scan: 'pdf', video: 'mp4' };
/** Kinds whose text the run knows. */
const READABLE: readonly Kind[] = ['pdf', 'txt', 'md'];
const MOST_PAGES = 200;

/** One file to upload. Two with the same content are duplicates. */
export interface Piece {
  /** Unique in the run, because the API reports results by file name. */
  name: string;
  content: number;
  kind: Kind;
  /** Number of pages of a document; 1 for others. */
  pages: number;
}

/** One upload, from the first request to the acknowledgement. */
export type Delivery =
  | { route: 'batch'; pieces: Piece[]; fieldsFirst: boolean }
  | { route: 'client'; pieces: Piece[] }
  | { route: 'links'; pieces: Piece[] }
  | { route: 'stream'; piece: Piece }
  | { route: 'direct'; piece: Piece; mode: 'single_shot' | 'multipart'; skipDuplicates: boolean };

/** Work on stored files that a client requests during the run. */
export interface Task {
  kind: 'extraction' | 'table' | 'history';
  /** Progress at which it is requested, as of a fault. */
  at: number;
  /** Chooses the document of an extraction, 0 to 1. */
  pick: number;
}

export interface ChaosPlan {
  deliveries: Delivery[];
  /** Earliest first. */
  faults: Fault[];
  /** Earliest first. */
  tasks: Task[];
}

export interface PlanOptions extends Possible {
  files: number;
  kills: number;
  seed: number;
  /** False: images take the place of videos. */
  videos: boolean;
}

const DUPLICATES = 0.1;
/** Few, because parts are at least 5 MiB. */
const MULTIPART = { share: 0.01, least: 1, most: 6 };
const DIRECT = 0.2;
const STREAM = 0.1;
const CLIENT = 0.2;
const BATCH = { least: 4, most: 60 };
const CLIENT_FILES = { least: 2, most: 12 };
/** The response to a request with more links lacks their ids. */
const LINKS = { least: 1, most: 5 };
/** Files for each task of a kind, and the most of them. */
const TASKS = {
  extraction: { files: 50, most: 60 },
  table: { files: 200, most: 20 },
  history: { files: 200, most: 20 },
} as const;

/** The plan of a run, determined by its seed. */
export function planChaos(options: PlanOptions): ChaosPlan {
  const dice = createDice(options.seed);
  const pieces = planPieces(dice, options);
  const deliveries = planDeliveries(dice, pieces);
  return { deliveries, faults: planFaults(dice, options), tasks: planTasks(dice, pieces) };
}

export function piecesOf(delivery: Delivery): Piece[] {
  return 'pieces' in delivery ? delivery.pieces : [delivery.piece];
}

/** Whether values can be extracted from a file, see `totalOf`. */
export function isReadable({ kind }: Pick<Piece, 'kind'>): boolean {
  return READABLE.includes(kind);
}

/** The number that every readable file states as its total. */
export function totalOf({ content }: Pick<Piece, 'content'>): number {
  return content + 0.5;
}

function planPieces(dice: Dice, { files, videos }: PlanOptions): Piece[] {
  const count = Math.max(1, files - Math.floor(files * DUPLICATES));
  const contents = Array.from({ length: count }, (_, content) => {
    const kind = kindAt((content + 0.5) / count);
    const pages = kind === 'pdf' ? pagesOf(dice) : 1;
    return { content, kind: kind === 'video' && !videos ? 'png' : kind, pages } as const;
  });
  const pieces = Array.from({ length: files }, (_, index): Piece => {
    const own = contents[index] ?? dice.pick(contents);
    const name = `chaos-${String(index).padStart(5, '0')}.${EXTENSIONS[own.kind] ?? own.kind}`;
    return { name, ...own };
  });
  return dice.shuffle(pieces);
}

/** The kind at a share of all contents, so that each kind has its share of them. */
function kindAt(share: number): Kind {
  let sum = 0;
  const found = Object.entries(SHARES).find(([, each]) => share < (sum += each));
  return (found?.[0] ?? 'png') as Kind;
}

/** Most documents have one or two pages, one in fifteen has more than thirty. */
function pagesOf(dice: Dice): number {
  return Math.round(MOST_PAGES ** (dice.fraction() ** 6));
}

function planDeliveries(dice: Dice, pieces: readonly Piece[]): Delivery[] {
  const total = pieces.length;
  const uses = Map.groupBy(pieces, ({ content }) => content);
  const direct = (mode: 'single_shot' | 'multipart') => (piece: Piece) => ({
    route: 'direct' as const,
    piece,
    mode,
    // The idempotency key makes retries safe, so only real duplicates need this.
    skipDuplicates: (uses.get(piece.content)?.length ?? 0) > 1 || dice.fraction() < 0.5,
  });
  const inGroups = (from: Piece[], { least, most }: { least: number; most: number }) => {
    const groups: Piece[][] = [];
    while (from.length > 0) groups.push(from.splice(0, dice.whole(least, most)));
    return groups;
  };

  const links = pieces.filter(({ kind }) => kind === 'link');
  const videos = pieces.filter(({ kind }) => kind === 'video');
  const parts = Math.min(MULTIPART.most, Math.max(MULTIPART.least, Math.round(total * MULTIPART.share)));
  const large = pieces.filter(({ kind }) => kind === 'png').slice(0, parts);
  const apart = new Set([...links, ...videos, ...large]);
  const rest = pieces.filter((piece) => !apart.has(piece));
  const take = (share: number) => rest.splice(0, Math.round(total * share));
  const deliveries: Delivery[] = [
    ...large.map(direct('multipart')),
    ...[...videos, ...take(DIRECT)].map(direct('single_shot')),
    ...take(STREAM).map((piece) => ({ route: 'stream' as const, piece })),
    ...inGroups(links, LINKS).map((group) => ({ route: 'links' as const, pieces: group })),
    ...inGroups(take(CLIENT), CLIENT_FILES).map((group) => ({ route: 'client' as const, pieces: group })),
    ...inGroups(rest, {
      least: BATCH.least,
      most: Math.min(BATCH.most, Math.max(BATCH.least, Math.ceil(total / 6))),
    }).map((group) => ({ route: 'batch' as const, pieces: group, fieldsFirst: dice.fraction() < 0.7 })),
  ];
  return dice.shuffle(deliveries);
}

function planTasks(dice: Dice, pieces: readonly Piece[]): Task[] {
  const tasks = (Object.keys(TASKS) as Task['kind'][]).flatMap((kind) => {
    const { files, most } = TASKS[kind];
    if (kind === 'extraction' && !pieces.some(isReadable)) return [];
    return Array.from({ length: Math.min(most, Math.ceil(pieces.length / files)) }, () => ({
      kind,
      at: 0.05 + 0.9 * dice.fraction(),
      pick: dice.fraction(),
    }));
  });
  return tasks.toSorted((a, b) => a.at - b.at);
}
