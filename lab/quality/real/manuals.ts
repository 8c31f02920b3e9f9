import { readFile, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Half } from '../half.ts';
import { unpackDebian } from '../systems/debian-packages.ts';
import { type Part, readHtmlBook } from './read-html-book.ts';

/** A manual of Debian's documentation: its structure as its HTML says, and its PDF if it was made of the same source. */
export interface Manual {
  name: string;
  pdf?: string;
  parts: Part[];
}

interface ManualSource {
  name: string;
  half: Half;
  packages: readonly string[];
  pdf?: string;
  /** The only page; or one named `index`, which lists all others in their order; or several. */
  html: string | readonly string[];
}

const R = { packages: ['r-doc-pdf', 'r-doc-html'] } as const;
const r = (name: string) => ({
  ...R,
  name,
  pdf: `usr/share/R/doc/manual/${name}.pdf`,
  html: `usr/share/R/doc/manual/${name}.html`,
});
const docbook = (name: string, pdf: string, html: string) => ({ name, packages: [name], pdf, html }) as const;

const MANUALS: readonly ManualSource[] = [
  { half: 'development', ...r('R-intro') },
  { half: 'development', ...r('R-data') },
  {
    half: 'development',
    name: 'developers-reference',
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
  {
    half: 'development',
    name: 'postgresql',
    packages: ['postgresql-doc-15'],
    html: [
      'datatype-numeric',
      'datatype-character',
      'datatype-datetime',
      'datatype-geometric',
      'functions-comparison',
      'functions-math',
      'functions-formatting',
      'limits',
      'mvcc',
      'transaction-iso',
      'explicit-locking',
      'monitoring-ps',
    ].map((page) => `usr/share/doc/postgresql-doc-15/html/${page}.html`),
  },
  {
    half: 'development',
    name: 'sqlite',
    packages: ['sqlite3-doc'],
    html: ['datatype3', 'queryplanner', 'speed', 'limits', 'json1'].map(
      (page) => `usr/share/doc/sqlite3/${page}.html`,
    ),
  },
  {
    half: 'held-out',
    name: 'apache',
    packages: ['apache2-doc'],
    html: ['sections', 'mod/mod_log_config', 'mod/mod_rewrite', 'expr', 'rewrite/flags', 'logs'].map(
      (page) => `usr/share/doc/apache2-doc/manual/en/${page}.html`,
    ),
  },
  {
    half: 'held-out',
    name: 'exim',
    packages: ['exim4-doc-html'],
    html: ['ch05', 'ch06', 'ch11', 'ch14', 'ch30'].map(
      (page) => `usr/share/doc/exim4-doc-html/spec_html/${page}.html`,
    ),
  },
];

/**
 * The manuals of one half, unpacked below the project's cache.
 *
 * @throws Error where there is no apt, or no such package
 */
export async function findManuals(half: Half): Promise<Manual[]> {
  const manuals: Manual[] = [];
  for (const { name, packages, pdf, html, ...source } of MANUALS) {
    if (source.half !== half) continue;
    const root = await unpackDebian(packages.join('+'), packages);
    const files = [html].flat().map((file) => join(root, file));
    const [entry] = files;
    const pages = files.length === 1 ? pagesOf(entry ?? '') : files.map((file) => readFile(file, 'utf8'));
    const parts = readHtmlBook(await (Array.isArray(pages) ? Promise.all(pages) : pages));
    manuals.push({ name, parts, ...(pdf && { pdf: await unzipped(join(root, pdf)) }) });
  }
  return manuals;
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
