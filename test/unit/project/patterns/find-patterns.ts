import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path/posix';
import { parse, type Node } from 'acorn';

/** A regular expression in the sources. */
export interface FoundPattern {
  /** `file:line`. */
  place: string;
  source: string;
  flags: string;
}

/** A regular expression whose source depends on values at run time. */
export interface UnknownPattern {
  place: string;
  unknown: string;
}

type Found = FoundPattern | UnknownPattern;
interface Module {
  path: string;
  nodes: readonly SyntaxNode[];
}
/** A node of any type, with its fields. */
type SyntaxNode = Node & Readonly<Record<string, unknown>>;

/**
 * Every regular expression in the TypeScript files of some folders: literals, and `RegExp` with constants.
 */
export function findPatterns(folders: readonly string[]): Found[] {
  return folders
    .flatMap((folder) => globSync(join(folder, '**', '*.ts')))
    .toSorted()
    .flatMap((path) => patternsOf(path, readFileSync(path, 'utf8')));
}

/** @param text content of the file */
export function patternsOf(path: string, text: string): Found[] {
  const module = moduleOf(path, text);
  return module.nodes.flatMap((node): Found[] => {
    const place = `${path}:${node.loc?.start.line}`;
    const regex = node['regex'] as { pattern: string; flags: string } | undefined;
    if (node.type === 'Literal' && regex) return [{ place, source: regex.pattern, flags: regex.flags }];
    const callee = node['callee'] as SyntaxNode | undefined;
    if (callee?.type !== 'Identifier' || callee['name'] !== 'RegExp') return [];
    const [source, flags] = (node['arguments'] as SyntaxNode[]).map((each) => constant(module, each));
    if (source === undefined || (node['arguments'] as unknown[])[1]) {
      if (source === undefined || flags === undefined)
        return [{ place, unknown: 'its parts are not constants' }];
    }
    return [{ place, source, flags: flags ?? '' }];
  });
}

function moduleOf(path: string, text: string): Module {
  const program = parse(stripTypeScriptTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const nodes: SyntaxNode[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && 'start' in value) nodes.push(value as SyntaxNode);
    for (const each of Object.values(value)) visit(each);
  };
  visit(program);
  return { path, nodes };
}

/** The constant value of a string expression; undefined if it depends on anything but constants. */
function constant(module: Module, node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? node['value'] : undefined;
    case 'TemplateLiteral':
      return template(module, node, 'cooked');
    case 'TaggedTemplateExpression': {
      const { object, property } = node['tag'] as {
        object?: { name?: string };
        property?: { name?: string };
      };
      const isRaw = object?.name === 'String' && property?.name === 'raw';
      return isRaw ? template(module, node['quasi'] as SyntaxNode, 'raw') : undefined;
    }
    case 'Identifier':
      return named(module, node['name'] as string);
    default:
      return undefined;
  }
}

function template(module: Module, node: SyntaxNode, form: 'cooked' | 'raw'): string | undefined {
  const texts = (node['quasis'] as { value: Record<typeof form, string> }[]).map(({ value }) => value[form]);
  const values = (node['expressions'] as SyntaxNode[]).map((each) => constant(module, each));
  if (values.includes(undefined)) return undefined;
  return texts.map((text, at) => text + (values[at] ?? '')).join('');
}

function named(module: Module, name: string): string | undefined {
  for (const node of module.nodes) {
    if (node.type === 'VariableDeclarator' && (node['id'] as { name?: string }).name === name) {
      const value = node['init'] as SyntaxNode | null;
      return value ? constant(module, value) : undefined;
    }
    if (node.type !== 'ImportDeclaration') continue;
    const specifiers = node['specifiers'] as { local: { name: string }; imported?: { name: string } }[];
    const imported = specifiers.find(({ local }) => local.name === name)?.imported;
    const from = (node['source'] as { value: string }).value;
    if (!imported || !from.startsWith('.')) continue;
    const path = join(module.path, '..', from);
    return named(moduleOf(path, readFileSync(path, 'utf8')), imported.name);
  }
  return undefined;
}
