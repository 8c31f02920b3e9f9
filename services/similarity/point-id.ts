import { nameUuid } from '../shared/ids.ts';

/** The id of a file's or a chunk's vector of one model: indexing again overwrites it, another model's is separate. */
export function pointId(id: string, model: string): string {
  return nameUuid(`${id}/${model}`);
}
