import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { createRequire } from 'node:module';
import type * as Micromark from 'micromark';
import type * as Gfm from 'micromark-extension-gfm';

/** Loads the renderer for the first page. */
const require = createRequire(import.meta.url);
const FOLDER = new URL('../../docs/', import.meta.url);

/** The guide pages by kind of client, as paths below `docs/`. */
export const PROGRAM_PAGES = readdirSync(new URL('guide', FOLDER))
  .map((name) => ({ path: `guide/${name}`, title: titleOf(readPage(`guide/${name}`)) }))
  .toSorted((one, other) => (one.title < other.title ? -1 : 1));

/** The pages for users of the API, as paths below `docs/`. */
const PAGES = new Set([
  'api-guide.md',
  'errors.md',
  'older-endpoints.md',
  ...PROGRAM_PAGES.map(({ path }) => path),
]);

const made = new Map<string, string>();

/**
 * A page of the guide as HTML, with the anchors of its headings. Links to other guide pages work if the pages
 * are served under their paths; links to the rest of the project become plain text.
 *
 * @param path below `docs/`, such as `guide/python.md`
 * @returns undefined if the path is not a guide page
 */
export function guidePage(path: string): string | undefined {
  if (!PAGES.has(path)) return undefined;
  const known = made.get(path);
  if (known) return known;
  const markdown = readPage(path);
  const { micromark } = require('micromark') as typeof Micromark;
  const { gfm, gfmHtml } = require('micromark-extension-gfm') as typeof Gfm;
  const body = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
    .replaceAll(/<h([1-6])>(.*?)<\/h\1>/g, (_match, level: string, title: string) => {
      return `<h${level} id="${anchorOf(title)}">${title}</h${level}>`;
    })
    .replaceAll(/<img [^>]*>/g, '')
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (link, target: string, text: string) =>
      isServed(path, target) ? link : text,
    );
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${titleOf(markdown)}</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
      pre { background: #f4f4f4; padding: 0.75rem; overflow-x: auto }
      table { border-collapse: collapse; display: block; overflow-x: auto }
      td, th { border: 1px solid #ccc; padding: 0.25rem 0.5rem; text-align: left }
    </style>
  </head>
  <body>${body}</body>
</html>`;
  made.set(path, page);
  return page;
}

function readPage(path: string): string {
  return readFileSync(new URL(path, FOLDER), 'utf8');
}

function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? 'Darkroom';
}

function isServed(from: string, target: string): boolean {
  if (/^(https?:|#)/.test(target)) return true;
  const [path = ''] = target.split('#');
  return PAGES.has(posix.join(posix.dirname(from), path));
}

/** The anchor of a heading, by GitHub's rules. */
function anchorOf(title: string): string {
  return title
    .replaceAll(/<[^>]+>|&\w+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
