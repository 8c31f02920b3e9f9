import fc, { type Arbitrary } from 'fast-check';
import { FILE_SORTS } from '../../../services/files/file-order.ts';
import {
  byteEdits,
  type ByteEdits,
  type TokenEdits,
  mutateBytes,
  mutateText,
  tokenEdits,
} from '../mutate.ts';
import type { Part } from '../run-part.ts';
import { JSON_TOKEN } from './json.ts';
import { type Addressed, anyPrincipal, requestPart, type Target } from './target.ts';

interface CursorInput extends Addressed {
  /** Position of the page whose cursor is changed. */
  page: number;
  /** Position of the list that it is sent to, if not its own. */
  otherList: number | undefined;
  /** Edits of what the cursor encodes. */
  inside: TokenEdits;
  /** Edits of the cursor itself. */
  bytes: ByteEdits;
}

/** Percent-encoded bytes take three characters; a request line of more than 16 KB is refused unread. */
const MOST_BYTES = 5_000;
const VOCABULARY = [
  ...'null true 0 -1 1e308 1e999 "NaN" "infinity" "-infinity" "epoch" "9999999999999999999" [] {} [ ] , "'.split(
    ' ',
  ),
  '"2026-02-31 00:00:00+00"',
  '"0001-01-01 00:00:00+00 BC"',
  String.raw`"\u0000"`,
  String.raw`"\ud800"`,
  `"';select pg_sleep(60)--"`,
];

/** Cursors of real pages, changed inside and outside, for the list that they belong to and for others. */
export async function cursorPart(target: Target): Promise<Part<CursorInput>> {
  const lists = FILE_SORTS.flatMap((sort) => [
    `sort_by=${sort}&sort_order=asc&limit=1`,
    `sort_by=${sort}&sort_order=desc&limit=2`,
  ]);
  lists.push('search=harbour&limit=1', 'media_types=document&limit=1');
  const pages: { list: string; cursor: string }[] = [];
  for (const list of lists) {
    const response = await target.client.send('GET', `/files?${list}`);
    const { next_cursor: cursor } = (await response.json()) as { next_cursor: string | null };
    if (cursor !== null) pages.push({ list, cursor });
  }

  const page = (): Arbitrary<number> => fc.nat(pages.length - 1);
  const inputs = fc.record({
    principal: anyPrincipal(target),
    operation: fc.constant('listFiles'),
    page: page(),
    otherList: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, page()),
    inside: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: tokenEdits(VOCABULARY) },
    ),
    bytes: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, byteEdits()),
  });
  return requestPart(target, 'cursors', inputs, (input) => {
    const { cursor = '' } = pages[input.page] ?? {};
    const { list = '' } = pages[input.otherList ?? input.page] ?? {};
    const text = mutateText(Buffer.from(cursor, 'base64url').toString(), JSON_TOKEN, input.inside);
    const changed = input.inside.length > 0 ? Buffer.from(text).toString('base64url') : cursor;
    const sent = mutateBytes(Buffer.from(changed), input.bytes).subarray(0, MOST_BYTES);
    const encoded = [...sent].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return {
      target: `${target.prefix}/files?${list}&cursor=${encoded}`,
      headers: {},
      body: Buffer.alloc(0),
      framing: 'exact',
    };
  });
}
