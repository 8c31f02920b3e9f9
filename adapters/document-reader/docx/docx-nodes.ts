/** The parts of mammoth's document model that the reader uses. */
export interface DocxNode {
  type: string;
  children?: DocxNode[];
  /** Only for text nodes. */
  value?: string;
  styleName?: string | null;
  numbering?: { isOrdered: boolean; level: string | number } | null;
  breakType?: string;
  noteType?: string;
  noteId?: string;
  isBold?: boolean;
  isHeader?: boolean;
  colSpan?: number;
  rowSpan?: number;
  altText?: string | null;
}
export interface DocxRoot extends DocxNode {
  notes: { resolve(reference: DocxNode): { body: DocxNode[] } | undefined };
}

/** The text of a node; a note's mark is its number in brackets. */
export function textOf(node: DocxNode, markOf: (reference: DocxNode) => string): string {
  switch (node.type) {
    case 'text':
      return node.value ?? '';
    case 'tab':
      return '\t';
    case 'break':
      return node.breakType === 'line' ? '\n' : '';
    case 'noteReference':
      return markOf(node);
    default:
      return (node.children ?? [])
        .map((child) => textOf(child, markOf))
        .join(node.type === 'tableCell' || node.type === 'document' ? '\n' : '');
  }
}

/** All nodes below one, in order. */
export function* walk(node: DocxNode): Generator<DocxNode> {
  yield node;
  for (const child of node.children ?? []) yield* walk(child);
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Resolves the named and numeric characters of XML text. */
export const unescapeXml = (text: string): string =>
  text.replaceAll(
    /&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));/g,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
