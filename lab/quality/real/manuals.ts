import { readFile, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackDebian } from '../systems/debian-packages.ts';
import type { TruthBlock } from '../truth.ts';
import { readHtmlBook } from './read-html-book.ts';

/** A manual of Debian's documentation: its PDF, and its structure as the HTML of the same source says. */
export interface Manual {
  name: string;
  /** What its authors wrote it in, which decides how its PDF looks. */
  made: 'Texinfo' | 'DocBook' | 'Sphinx';
  path: string;
  truth: TruthBlock[];
}

interface ManualSource extends Pick<Manual, 'name' | 'made'> {
  /** The half for work on the rules, or the one that is only ever scored. */
  half: 'development' | 'held-out';
  packages: readonly string[];
  pdf: string;
  /** The only page, or the one that lists all others in their order. */
  html: string;
}

const R = { made: 'Texinfo', packages: ['r-doc-pdf', 'r-doc-html'] } as const;
const r = (name: string) => ({
  ...R,
  name,
  pdf: `usr/share/R/doc/manual/${name}.pdf`,
  html: `usr/share/R/doc/manual/${name}.html`,
});
const docbook = (name: string, pdf: string, html: string) =>
  ({ name, made: 'DocBook', packages: [name], pdf, html }) as const;

const MANUALS: readonly ManualSource[] = [
  { half: 'development', ...r('R-intro') },
  { half: 'development', ...r('R-data') },
  {
    half: 'development',
    name: 'developers-reference',
    made: 'Sphinx',
    packages: ['developers-reference'],
    pdf: 'usr/share/developers-reference/developers-reference.pdf',
    html: 'usr/share/developers-reference/index.html',
  },
  {
    half: 'development',
    ...docbook(
      'debian-faq',
      'usr/share/doc/debian/FAQ/debian-faq.en.pdf.gz',
      'usr/share/doc/debian/FAQ/index.en.html',
    ),
  },
  {
    half: 'development',
    ...docbook(
      'maint-guide-fr',
      'usr/share/doc/maint-guide-fr/maint-guide.fr.pdf',
      'usr/share/doc/maint-guide-fr/html/index.fr.html',
    ),
  },
  { half: 'held-out', ...r('R-lang') },
  { half: 'held-out', ...r('R-ints') },
  { half: 'held-out', ...r('R-admin') },
  {
    half: 'held-out',
    name: 'debian-policy',
    made: 'Sphinx',
    packages: ['debian-policy'],
    pdf: 'usr/share/doc/debian-policy/policy.pdf.gz',
    html: 'usr/share/doc/debian-policy/policy.html/index.html',
  },
  {
    half: 'held-out',
    ...docbook(
      'debian-reference-en',
      'usr/share/debian-reference/debian-reference.en.pdf',
      'usr/share/debian-reference/index.en.html',
    ),
  },
  {
    half: 'held-out',
    ...docbook(
      'maint-guide-de',
      'usr/share/doc/maint-guide-de/maint-guide.de.pdf',
      'usr/share/doc/maint-guide-de/html/index.de.html',
    ),
  },
  {
    half: 'held-out',
    ...docbook(
      'maint-guide-es',
      'usr/share/doc/maint-guide-es/maint-guide.es.pdf',
      'usr/share/doc/maint-guide-es/html/index.es.html',
    ),
  },
];

/**
 * The manuals of one half whose name contains `only`, unpacked below the project's cache.
 *
 * @throws Error where there is no apt, or no such package
 */
export async function* findManuals(half: ManualSource['half'], only: string): AsyncGenerator<Manual> {
  for (const { name, made, packages, ...source } of MANUALS) {
    if (source.half !== half || !name.includes(only)) continue;
    const root = await unpackDebian(packages.join('+'), packages);
    const [path, entry] = [join(root, source.pdf), join(root, source.html)];
    yield { name, made, path: await unzipped(path), truth: await readHtmlBook(await pagesOf(entry)) };
  }
}

async function unzipped(path: string): Promise<string> {
  if (!path.endsWith('.gz')) return path;
  const target = path.slice(0, -'.gz'.length);
  if (!existsSync(target)) await writeFile(target, gunzipSync(await readFile(path)));
  return target;
}

/** The only page; or of an index, itself and the pages beside it as it mentions them. */
async function pagesOf(entry: string): Promise<string[]> {
  const folder = dirname(entry);
  const names = new Set(await readdir(folder));
  const first = await readFile(entry, 'utf8');
  if (!basename(entry).startsWith('index.')) return [first];
  const mentioned = [...first.matchAll(/href="([^"#:]+\.html)[#"]/g)].map(([, name]) => name ?? '');
  const others = [...new Set(mentioned)].filter(
    (name) => names.has(name) && !entry.endsWith(`/${name}`) && !/^(genindex|search)\.html$/.test(name),
  );
  return [first, ...(await Promise.all(others.map((name) => readFile(join(folder, name), 'utf8'))))];
}
