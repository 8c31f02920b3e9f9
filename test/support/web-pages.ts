import { pages, type Page } from './web-site.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const SENTENCE = 'The keeper counts the ships, and writes their names into the book of the night. ';

interface Article {
  title: string;
  /** Words that occur nowhere else. */
  words?: string;
  /** Markup for the head. */
  head?: string;
  /** Markup after the text. */
  body?: string;
}

/** The markup of a blog article, with navigation around it. */
export function articleHtml({ title, words = '', head = '', body = '' }: Article): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>
    <nav><ul><li><a href="/">Home</a></li><li><a href="/about">About us</a></li></ul></nav>
    <article><h1>${title}</h1><p>${words} ${SENTENCE.repeat(6)}</p><h2>Lamps</h2><p>${SENTENCE.repeat(6)}</p>
    <ul><li>one lamp</li><li>two lamps</li></ul>${body}</article>
    <footer>Imprint of nobody</footer></body></html>`;
}

export const article = (given: Article, headers: Record<string, string> = {}): Page =>
  pages.of(Buffer.from(articleHtml(given)), { ...HTML, ...headers });
