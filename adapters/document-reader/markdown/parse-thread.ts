/** The thread that parses one Markdown document, as its parser takes hours over a few kilobytes of some structures. */
import { parentPort, workerData } from 'node:worker_threads';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { markdownElements } from './markdown-elements.ts';

const root = fromMarkdown(workerData as string, {
  extensions: [gfm()],
  mdastExtensions: [gfmFromMarkdown()],
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
parentPort?.postMessage(markdownElements(root));
