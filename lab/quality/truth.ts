import type { DocumentType } from 'darkroom-reader/document';

/** One block of a document: the ground truth. */
export type TruthBlock =
  | { type: 'heading'; text: string; level: number }
  | { type: 'paragraph' | 'caption' | 'code'; text: string }
  | { type: 'list'; items: { text: string; depth: number }[] }
  /** `unmerged` has the text of a merged cell in its first place alone, where `rows` repeats it. */
  | { type: 'table'; rows: string[][]; unmerged?: string[][] }
  | { type: 'pair'; key: string; value: string };

/** The kind of a document, by which scores are grouped. */
export type Group =
  | 'text layer'
  | 'clean scan'
  | 'rough scan'
  | 'turned scan'
  | 'German scan'
  | 'French scan'
  | 'Spanish scan'
  | 'Arabic scan'
  | 'mixed'
  | 'word'
  | 'plain';

export interface QualityDocument {
  name: string;
  group: Group;
  type: DocumentType;
  /** Language of a scan, as a recogniser's language code; English by default. */
  language?: string;
  bytes: Uint8Array;
  /** In reading order, without running headers and footers. */
  truth: TruthBlock[];
}

/** A program's result for a document. */
export interface Extraction {
  /** All text in reading order, without Markdown markup. */
  text: string;
  headings: { text: string; level: number }[];
  tables: string[][][];
  /** Listings, where the program knows them. */
  code?: string[];
}

export function textOfTruth(blocks: readonly TruthBlock[]): string {
  return blocks.map(textOfBlock).join('\n');
}

export function textOfBlock(block: TruthBlock): string {
  switch (block.type) {
    case 'list':
      return block.items.map(({ text }) => text).join('\n');
    case 'table':
      return block.rows.flat().join('\n');
    case 'pair':
      return `${block.key}: ${block.value}`;
    default:
      return block.text;
  }
}
