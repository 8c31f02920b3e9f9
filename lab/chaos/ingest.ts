import { createBatches } from './deliver-batch.ts';
import { paintContent, type Content } from './contents.ts';
import { deliverDirect, deliverStream } from './deliver-one.ts';
import { RequestFailed, type Http } from '../shared/http.ts';
import type { ChaosPlan, Delivery, Piece } from './plan.ts';
import type { Acknowledged } from './verdict.ts';

/** Concurrent single uploads; in parallel, batches are sent one at a time. */
const LANES = 3;

/**
 * Uploads all files of a plan like a well-behaved client. Resolves when each is acknowledged or refused.
 *
 * @param acknowledge called for each file whose id is known
 * @param onAccepted  called with the number of files newly accepted, whether or not their ids are known yet
 * @param onRefused   called when a request was refused or its retries failed; its files are abandoned, the others
 *   continue
 */
export async function ingest(options: {
  http: Http;
  plan: ChaosPlan;
  seed: number;
  acknowledge: (file: Acknowledged) => void;
  onAccepted: (count: number) => void;
  onRefused: (refused: RequestFailed) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { http, plan, seed, acknowledge, onAccepted, onRefused, signal } = options;
  const large = new Set(
    plan.deliveries.flatMap((delivery) =>
      delivery.route === 'direct' && delivery.mode === 'multipart' ? [delivery.piece.content] : [],
    ),
  );
  const contentOf = ({ content }: Piece): Promise<Content> => paintContent(seed, content, large.has(content));
  const batches = createBatches({ http, contentOf, onRefused, signal });
  const pieces = new Map<string, Piece>();

  async function sendBatches(): Promise<void> {
    let accepted = 0;
    for (const delivery of plan.deliveries) {
      if (delivery.route !== 'batch') continue;
      for (const piece of delivery.pieces) pieces.set(piece.name, piece);
      const count = (await unlessRefused(batches.send(delivery.pieces, delivery.fieldsFirst))) ?? 0;
      accepted += count;
      onAccepted(count);
    }
    const ids = await batches.collect();
    onAccepted(ids.size - accepted);
    for (const [name, fileId] of ids) {
      const piece = pieces.get(name);
      if (piece) acknowledge({ name, fileId, sha256: (await contentOf(piece)).sha256 });
    }
  }

  const others = plan.deliveries.filter((delivery) => delivery.route !== 'batch');
  async function sendOthers(): Promise<void> {
    for (let next = others.shift(); next; next = others.shift()) {
      const content = await contentOf(next.piece);
      const fileId = await unlessRefused(deliver(next, content));
      if (fileId === undefined) continue;
      onAccepted(1);
      acknowledge({ name: next.piece.name, fileId, sha256: content.sha256 });
    }
  }

  async function unlessRefused<R>(work: Promise<R>): Promise<R | undefined> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      onRefused(error);
      return undefined;
    }
  }

  function deliver(delivery: Exclude<Delivery, { route: 'batch' }>, content: Content): Promise<string> {
    if (delivery.route === 'stream') return deliverStream(http, delivery, content);
    return deliverDirect(http, delivery, content);
  }

  await Promise.all([sendBatches(), ...Array.from({ length: LANES }, sendOthers)]);
}
