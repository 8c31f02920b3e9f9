import { makeContent, type Content } from './contents.ts';
import { createBatches } from './deliver-batch.ts';
import { deliverDirect, deliverLinks, deliverStream } from './deliver-one.ts';
import { RequestFailed, type Http } from '../shared/http.ts';
import { piecesOf, type ChaosPlan, type Delivery, type Piece } from './plan.ts';
import type { Acknowledged } from './verdict.ts';

/** Concurrent uploads of single files; in parallel, requests with several files or links are sent one at a time. */
const LANES = 3;

/**
 * Uploads all files of a plan like a well-behaved client. Resolves when each is acknowledged or refused.
 *
 * @param urlOf       the address of the page with this number
 * @param untilRoom   resolves when the service has few enough files in progress for the next delivery
 * @param acknowledge called for each file whose id is known
 * @param onAccepted  called with the number of files newly accepted, whether or not their ids are known yet
 * @param onRefused   called when a request was refused or its retries failed; its files are abandoned, the others
 *   continue
 */
export async function ingest(options: {
  http: Http;
  plan: ChaosPlan;
  seed: number;
  urlOf: (page: number) => string;
  untilRoom: () => Promise<void>;
  acknowledge: (file: Acknowledged) => void;
  onAccepted: (count: number) => void;
  onRefused: (refused: RequestFailed) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { http, plan, seed, urlOf, untilRoom, acknowledge, onAccepted, onRefused, signal } = options;
  const large = new Set(
    plan.deliveries.flatMap((delivery) =>
      delivery.route === 'direct' && delivery.mode === 'multipart' ? [delivery.piece.content] : [],
    ),
  );
  const pieces = new Map(plan.deliveries.flatMap(piecesOf).map((piece) => [piece.name, piece]));
  const hashes = new Map<number, string>();
  const batches = createBatches({ http, contentOf, onRefused, signal });

  async function contentOf(piece: Piece): Promise<Content> {
    const content = await makeContent(seed, piece, { large: large.has(piece.content), urlOf });
    hashes.set(piece.content, content.sha256);
    return content;
  }

  async function acknowledgeAll(ids: Iterable<[name: string, fileId: string]>): Promise<void> {
    for (const [name, fileId] of ids) {
      const piece = pieces.get(name);
      if (!piece) continue;
      const sha256 = hashes.get(piece.content) ?? (await contentOf(piece)).sha256;
      acknowledge({ name, fileId, sha256 });
    }
  }

  /** The ids by name of an upload whose response has them. */
  async function idsOf(delivery: Exclude<Delivery, { route: 'batch' }>): Promise<Map<string, string>> {
    if (delivery.route === 'client') return batches.sendByClient(delivery.pieces);
    if (delivery.route === 'links') {
      const urls = delivery.pieces.map(({ content }) => urlOf(content));
      const ids = await deliverLinks(http, urls, signal);
      return new Map(delivery.pieces.map(({ name }, at) => [name, ids[at] ?? '']));
    }
    const content = await contentOf(delivery.piece);
    const upload =
      delivery.route === 'stream'
        ? deliverStream(http, delivery, content)
        : deliverDirect(http, delivery, content);
    return new Map([[delivery.piece.name, await upload]]);
  }

  let acceptedInBatches = 0;
  async function deliver(delivery: Delivery): Promise<void> {
    if (delivery.route === 'batch') {
      const count = await batches.send(delivery.pieces, delivery.fieldsFirst);
      acceptedInBatches += count;
      onAccepted(count);
    } else {
      const ids = await idsOf(delivery);
      onAccepted(ids.size);
      await acknowledgeAll(ids);
    }
  }

  async function deliverAll(queue: Delivery[]): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      await untilRoom();
      try {
        await deliver(next);
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        onRefused(error);
      }
    }
  }

  const isInTurn = (delivery: Delivery) => 'pieces' in delivery;
  async function deliverInTurn(): Promise<void> {
    await deliverAll(plan.deliveries.filter(isInTurn));
    const ids = await batches.collect();
    onAccepted(ids.size - acceptedInBatches);
    await acknowledgeAll(ids);
  }

  const others = plan.deliveries.filter((delivery) => !isInTurn(delivery));
  await Promise.all([deliverInTurn(), ...Array.from({ length: LANES }, () => deliverAll(others))]);
}
