const BLOCK = /^---[ \t]*\n([\s\S]{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const FIELD = /^([\p{L}_][\p{L}\p{N}_ -]{0,40}):[ \t]+(\S.*)$/u;

/** Takes the block of fields off the top of a Markdown document. Only plain fields are read: lists and nested ones are not. */
export function readFrontMatter(text: string): { body: string; fields: Record<string, string> } {
  const block = BLOCK.exec(text);
  if (!block) return { body: text, fields: {} };
  const entries = (block[1] ?? '').split('\n').flatMap((line): [string, string][] => {
    const [, key, value] = FIELD.exec(line) ?? [];
    return key !== undefined && value !== undefined
      ? [[key, value.trim().replace(/^(["'])(.*)\1$/, '$2')]]
      : [];
  });
  return { body: text.slice(block[0].length), fields: Object.fromEntries(entries) };
}
