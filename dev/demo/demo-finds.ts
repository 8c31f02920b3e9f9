import type { DemoApi, DemoFile } from './demo-api.ts';

/** Found in a title, in the text of a picture, despite a typo, and in a measured colour. */
const SEARCHES = ['rocket', 'auto refresh', 'chelsae', 'navy'];
const SHOWN = 3;

/**
 * Describes which pictures look alike, and the results of a few searches.
 *
 * @param files those of this run; results from earlier runs are left out
 */
export async function describeFinds(api: DemoApi, files: DemoFile[]): Promise<string> {
  const title = (id: string) => files.find((file) => file.id === id)?.title;
  const lines: string[] = [];
  const reference = files.find(({ title: name }) => name === 'Coffee');
  if (reference) {
    const alike = (await api.similar(reference.id)).filter(({ id }) => title(id) !== undefined);
    const list = alike.slice(0, SHOWN).map(({ id, similarity }) => `${title(id)} (${similarity.toFixed(2)})`);
    lines.push(`Looks like ${reference.title}: ${list.join(', ')}`);
  }
  for (const words of SEARCHES) {
    const found = (await api.search(words)).flatMap((id) => title(id) ?? []);
    lines.push(`Search for “${words}”: ${found.slice(0, SHOWN).join(', ') || 'nothing'}`);
  }
  return lines.join('\n');
}
