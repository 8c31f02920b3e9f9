import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { isNode, type SchemaNode } from './model.ts';

/** Something that is wrong with a schema, at its line of the JSON. */
export interface Problem {
  /** JSON pointer into the schema; null where there is no JSON yet. */
  pointer: string | null;
  /** From 1. */
  line: number;
  message: string;
}

const texts = EXTRACTION_TEXTS;
const STRICT = { disallowComments: true, allowTrailingComma: false } as const;

/** A schema and, while its text is not the JSON of an object, what is wrong with the text. */
export function readSchema(text: string): {
  schema: SchemaNode | undefined;
  mistakes: Problem[];
  /** The line of a pointer, or of the nearest that exists above it. */
  lineOf: (pointer: string) => number;
} {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, STRICT);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const mistakes = errors.map(({ error, offset }): Problem => {
    const code = printParseErrorCode(error);
    const known: Readonly<Record<string, string>> = texts.mistakes;
    return { pointer: null, line: lineAt(offset), message: known[code] ?? texts.mistake };
  });
  const value: unknown = mistakes.length === 0 ? JSON.parse(text) : undefined;
  if (mistakes.length === 0 && !isNode(value)) {
    mistakes.push({ pointer: null, line: 1, message: texts.notObject });
  }
  const lineOf = (pointer: string) => {
    const keys = pointer.split('/').slice(1);
    for (let length = keys.length; length > 0; length -= 1) {
      const node = nodeAt(tree, keys.slice(0, length));
      if (node) return lineAt(node.parent?.type === 'property' ? node.parent.offset : node.offset);
    }
    return 1;
  };
  return { schema: isNode(value) ? value : undefined, mistakes, lineOf };
}

function nodeAt(tree: Node | undefined, keys: readonly string[]): Node | undefined {
  let node = tree;
  for (const key of keys) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!node) return undefined;
    node = findNodeAtLocation(node, [node.type === 'array' ? Number(name) : name]);
  }
  return node;
}
