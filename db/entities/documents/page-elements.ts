import { JsonType } from '@mikro-orm/core';
import type { ElementRole, ElementType, ListItem, PageBox, PageElement } from 'darkroom-reader/document';

/** An element as 0.1.0 stored it. */
interface FormerElement {
  type: ElementType;
  /** Markdown of tables and lists. */
  content: string;
  box: PageBox;
  metadata: Readonly<Record<string, string | number | boolean>>;
}

/** The column with the elements of a page. */
export class PageElements extends JsonType {
  override convertToJSValue(...given: Parameters<JsonType['convertToJSValue']>): PageElement[] {
    return readElements(super.convertToJSValue(...given) as readonly (PageElement | FormerElement)[]);
  }
}

/** The elements of a stored page, also of one that 0.1.0 has read. */
export function readElements(stored: readonly (PageElement | FormerElement)[]): PageElement[] {
  return stored.map((element) => ('metadata' in element ? upgrade(element) : element));
}

function upgrade({ type, content, box, metadata: { role: given, ...facts } }: FormerElement): PageElement {
  const common = { box, ...(given !== undefined && { role: given as ElementRole }) };
  switch (type) {
    case 'heading': {
      const { level = 1, font_size: fontSize, relative_size: relativeSize } = facts;
      return {
        ...common,
        type,
        content,
        level: Number(level),
        ...(fontSize !== undefined && { fontSize: Number(fontSize) }),
        ...(relativeSize !== undefined && { relativeSize: Number(relativeSize) }),
      };
    }
    case 'table':
      return { ...common, type, rows: rowsOf(content) };
    case 'key_value':
      return { ...common, type, key: String(facts['key']), value: String(facts['value']) };
    case 'list':
      return { ...common, type, items: content.split('\n').map(itemOf) };
    case 'code': {
      const { code_language: language } = facts;
      return { ...common, type, content, ...(language !== undefined && { language: String(language) }) };
    }
    default:
      return { ...common, type, content };
  }
}

/** An item of a list as 0.1.0 wrote it: two spaces for each list that it is in, and a marker. */
function itemOf(line: string): ListItem {
  const [, indent = '', marker = '-', text = line] = /^( *)(\S+) (.*)$/.exec(line) ?? [];
  return { marker, text, depth: indent.length / 2 };
}

/** The cells of a table as 0.1.0 wrote it: in bars with spaces around them, with a ruler in the second line. */
function rowsOf(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((_, at) => at !== 1);
  return lines.map((line) =>
    line
      .slice('| '.length, -' |'.length)
      .split(' | ')
      .map((cell) => (cell.includes('\\') ? cell.replaceAll(/\\([\\|])/g, '$1') : cell).trim()),
  );
}
