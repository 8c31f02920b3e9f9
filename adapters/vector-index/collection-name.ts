/**
 * Name of the collection for a kind of content and a model: vectors of two models never share one.
 *
 * @returns for example `image-local-v1-512`
 */
export function collectionName(kind: string, model: string, dimension: number): string {
  const safe = model.toLowerCase().replace(/[^a-z0-9.]+/g, '-');
  return `${kind}-${safe}-${dimension}`;
}
