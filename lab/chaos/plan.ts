import { type Dice, createDice } from '../shared/dice.ts';

/** Apps are killed by default, servers only on request. */
export const APPS = ['worker', 'worker-cpu', 'worker-ocr', 'api', 'temporal'] as const;
export const SERVERS = ['postgres', 's3'] as const;
export type Victim = (typeof APPS)[number] | (typeof SERVERS)[number];

/** One file to upload. Two with the same content are duplicates. */
export interface Piece {
  /** Unique in the run, because the API reports results by file name. */
  name: string;
  content: number;
}

/** One upload, from the first request to the acknowledgement. */
export type Delivery =
  | { route: 'batch'; pieces: Piece[]; fieldsFirst: boolean }
  | { route: 'stream'; piece: Piece }
  | { route: 'direct'; piece: Piece; mode: 'single_shot' | 'multipart'; skipDuplicates: boolean };

export interface Kill {
  /** Progress at which it happens: files acknowledged plus files ended, divided by twice the number of files. */
  at: number;
  /** Extra delay, so that kills do not always coincide with the end of a file. */
  afterMs: number;
  victim: Victim;
  /** Downtime before the restart. */
  downMs: number;
}

export interface ChaosPlan {
  deliveries: Delivery[];
  /** Earliest first. */
  kills: Kill[];
}

const DUPLICATES = 0.1;
/** Few, because parts are at least 5 MiB. */
const MULTIPART = { share: 0.01, least: 1, most: 6 };
const DIRECT = 0.2;
const STREAM = 0.1;
const BATCH = { least: 4, most: 60 };
const DOWN_MS = { least: 0, most: 4_000 };
const AFTER_MS = 700;

/** The plan of a run, determined by its seed. */
export function planChaos(options: {
  files: number;
  kills: number;
  seed: number;
  servers: boolean;
}): ChaosPlan {
  const dice = createDice(options.seed);
  const deliveries = planDeliveries(dice, planPieces(dice, options.files));
  const victims: [Victim, ...Victim[]] = options.servers ? [...APPS, ...SERVERS] : [...APPS];
  const kills = Array.from({ length: options.kills }, () => ({
    at: 0.01 + 0.97 * dice.fraction(),
    afterMs: dice.whole(0, AFTER_MS),
    victim: dice.pick(victims),
    downMs: dice.whole(DOWN_MS.least, DOWN_MS.most),
  }));
  return { deliveries, kills: kills.toSorted((a, b) => a.at - b.at) };
}

export function piecesOf(delivery: Delivery): Piece[] {
  return delivery.route === 'batch' ? delivery.pieces : [delivery.piece];
}

function planPieces(dice: Dice, files: number): Piece[] {
  const contents = Math.max(1, files - Math.floor(files * DUPLICATES));
  const pieces = Array.from({ length: files }, (_, index) => ({
    name: `chaos-${String(index).padStart(5, '0')}.png`,
    content: index < contents ? index : dice.whole(0, contents - 1),
  }));
  return dice.shuffle(pieces);
}

function planDeliveries(dice: Dice, pieces: Piece[]): Delivery[] {
  const total = pieces.length;
  const uses = new Map<number, number>();
  for (const { content } of pieces) uses.set(content, (uses.get(content) ?? 0) + 1);
  const isAlone = ({ content }: Piece) => uses.get(content) === 1;

  const rest = [...pieces];
  const take = (count: number) => rest.splice(0, Math.min(count, rest.length));
  const parts = Math.min(MULTIPART.most, Math.max(MULTIPART.least, Math.round(total * MULTIPART.share)));
  const direct = (mode: 'single_shot' | 'multipart') => (piece: Piece) => ({
    route: 'direct' as const,
    piece,
    mode,
    // The idempotency key makes retries safe, so only real duplicates need this.
    skipDuplicates: !isAlone(piece) || dice.fraction() < 0.5,
  });
  const deliveries: Delivery[] = [
    ...take(parts).map(direct('multipart')),
    ...take(Math.round(total * DIRECT)).map(direct('single_shot')),
    ...take(Math.round(total * STREAM)).map((piece) => ({ route: 'stream' as const, piece })),
  ];
  const most = Math.min(BATCH.most, Math.max(BATCH.least, Math.ceil(total / 6)));
  while (rest.length > 0) {
    const batch = take(dice.whole(BATCH.least, most));
    deliveries.push({ route: 'batch', pieces: batch, fieldsFirst: dice.fraction() < 0.7 });
  }
  return deliveries;
}
