import type { FlowElement } from '../flow/paginate.ts';
import { cleanText } from '../layout/clean-text.ts';
import type { RunningRole } from '../layout/running-lines.ts';
import { unescapeXml } from './docx-nodes.ts';

/** What stands between paragraphs, and in them: text, tabs and breaks. Instructions of fields are no text. */
const PART = /<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br|cr)(?:\s[^<>]*)?\/>|<\/w:(p)>/g;

/** The headers or the footers of a DOCX, which mammoth does not read: each line once, however many sections have it. */
export function marginElements(parts: readonly string[], role: RunningRole): FlowElement[] {
  const lines = new Set(parts.flatMap(linesOf));
  return lines.size > 0 ? [{ type: 'paragraph', content: [...lines].join('\n'), metadata: { role } }] : [];
}

function linesOf(xml: string): string[] {
  const pieces = [...xml.matchAll(PART)].map(([, text, space, end]) => {
    if (end !== undefined) return '\n';
    return space === undefined ? unescapeXml(text ?? '') : space === 'tab' ? '\t' : '\n';
  });
  return cleanText(pieces.join(''))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
