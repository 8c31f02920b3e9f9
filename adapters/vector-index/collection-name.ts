/**
 * Name of the collection for what is embedded, by which model: vectors of two models never meet in one.
 *
 * @returns for example `image-local-v1-512`
 */
export function collectionName(kind: string, model: string, dimension: number): string {
  const safe = model.toLowerCase().replace(/[^a-z0-9.]+/g, '-');
  return `${kind}-${safe}-${dimension}`;
}
