const BLOCK = /^---[ \t]*\n([\s\S]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const FIELD = /^([\p{L}_][\p{L}\p{N}_ -]{0,40}):[ \t]+(\S.*)$/u;

export interface FrontMatter {
  /** What follows the block. */
  body: string;
  /** Plain fields, in order. */
  fields: [key: string, value: string][];
  /** Lines of the block that are no plain fields, such as lists and nested ones. */
  others: string[];
}

/** Takes the block of fields off the top of a Markdown document. */
export function readFrontMatter(text: string): FrontMatter {
  const block = BLOCK.exec(text);
  if (!block) return { body: text, fields: [], others: [] };
  const fields: FrontMatter['fields'] = [];
  const others: string[] = [];
  for (const line of (block[1] ?? '').split('\n')) {
    const [, key, value] = FIELD.exec(line) ?? [];
    if (key !== undefined && value !== undefined)
      fields.push([key, value.trim().replace(/^(["'])(.*)\1$/, '$2')]);
    else if (line.trim() !== '') others.push(line.trimEnd());
  }
  return { body: text.slice(block[0].length), fields, others };
}
