import type { Engine } from './client.ts';

/** The engine refuses summaries of more than 400 bytes, as JSON. */
const MOST_BYTES = 200;

/** The name of a file for histories, truncated to the length of a summary; undefined where HISTORY_NAMES is off. */
export function historyName(
  { historyNames }: Pick<Engine, 'historyNames'>,
  filename: string,
): string | undefined {
  if (!historyNames) return undefined;
  let bytes = 0;
  const asJson = (character: string) => Buffer.byteLength(JSON.stringify(character)) - 2;
  const kept = [...filename].filter((character) => (bytes += asJson(character)) <= MOST_BYTES);
  return bytes <= MOST_BYTES ? filename : `${kept.join('')}…`;
}
