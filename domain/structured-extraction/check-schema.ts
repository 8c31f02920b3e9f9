import { jsonDepth } from '../json-depth.ts';
import {
  SCHEMA_TYPES,
  type SchemaType,
  MAX_PATTERN_LENGTH,
  MAX_PATTERNS_SIZE,
  MAX_PROPERTY_NAME_LENGTH,
  SCHEMA_LIMITS,
} from './json-schema.ts';
import { checkKeywords, checkValues, type SchemaObject } from './schema-keywords.ts';
import { patternSize } from './pattern-size.ts';
import { childPointer, type SchemaViolation } from './schema-violation.ts';

/** Property names with a special meaning in JavaScript, in which clients read results. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
/** A schema within its limits has additional levels for `properties`, `items` and `anyOf`, and for values. */
const MAX_JSON_DEPTH = 100;

/** External dependencies of the rules. */
export interface PatternEngine {
  /** Why a pattern cannot be matched in linear time; undefined if it can. */
  refusePattern(pattern: string): string | undefined;
}

/**
 * All violations in the schema of an extraction. For a schema too large or too deep to be examined, only that is
 * reported.
 *
 * @param schema from JSON
 */
export function checkSchema(schema: unknown, engine: PatternEngine): SchemaViolation[] {
  if (!isObject(schema)) return [{ pointer: '', rule: 'root_type', message: 'a schema is a JSON object' }];
  if (jsonDepth(schema) > MAX_JSON_DEPTH) return [tooDeep('')];
  const bytes = new TextEncoder().encode(JSON.stringify(schema)).byteLength;
  if (bytes > SCHEMA_LIMITS.bytes) {
    const message = `has ${bytes} bytes as compact JSON, ${SCHEMA_LIMITS.bytes} are allowed`;
    return [{ pointer: '', rule: 'size', message }];
  }
  const walk = new Walk(engine);
  if (schema['type'] !== 'object') {
    const at = schema['type'] === undefined ? '' : childPointer('', 'type');
    walk.refuse(at, 'root_type', 'the root must have the type object');
  } else if (!isObject(schema['properties']) || Object.keys(schema['properties']).length === 0) {
    walk.refuse(childPointer('', 'properties'), 'properties', 'the root must have at least one property');
  }
  walk.visit(schema, '', 0);
  if (walk.nodes > SCHEMA_LIMITS.nodes) {
    const message = `has ${walk.nodes} nodes, ${SCHEMA_LIMITS.nodes} are allowed`;
    walk.refuse('', 'nodes', message);
  }
  return walk.found;
}

class Walk {
  readonly found: SchemaViolation[] = [];
  nodes = 0;
  /** Size of all patterns so far. */
  #patternSize = 0;
  readonly #engine: PatternEngine;

  constructor(engine: PatternEngine) {
    this.#engine = engine;
  }

  refuse(pointer: string, rule: SchemaViolation['rule'], message: string): void {
    this.found.push({ pointer, rule, message });
  }

  visit(node: unknown, pointer: string, depth: number): void {
    this.nodes += 1;
    if (!isObject(node)) return this.refuse(pointer, 'value', 'must be a schema, a JSON object');
    // Reported once for the node that is too deep, not for its descendants.
    if (depth === SCHEMA_LIMITS.depth + 1) this.found.push(tooDeep(pointer));
    const type = this.#typeOf(node, pointer);
    this.found.push(...checkKeywords(node, pointer, type), ...checkValues(node, pointer, type));
    this.#visitPattern(node, pointer);
    if (node['anyOf'] !== undefined) this.#visitBranches(node['anyOf'], pointer, depth);
    if (node['properties'] !== undefined) this.#visitProperties(node['properties'], pointer, depth);
    if (node['required'] !== undefined) this.#visitRequired(node, pointer);
    // Also beside anyOf, whose branches have the type.
    if (node['items'] !== undefined) this.visit(node['items'], childPointer(pointer, 'items'), depth + 1);
    else if (type === 'array') this.refuse(pointer, 'value', 'an array needs items, the schema of its items');
  }

  #typeOf(node: SchemaObject, pointer: string): SchemaType | undefined {
    const { type, anyOf } = node;
    const at = childPointer(pointer, 'type');
    if (type === undefined) {
      if (anyOf === undefined) this.refuse(pointer, 'type', 'a schema needs a type, or anyOf');
      return undefined;
    }
    if (anyOf !== undefined) {
      this.refuse(at, 'composition', 'anyOf stands for the type, so that both exclude each other');
    }
    const known = SCHEMA_TYPES.find((name) => name === type);
    if (!known) {
      const hint =
        type === 'null' || Array.isArray(type)
          ? '; a value that may be missing is left out of required, one of several types has anyOf'
          : '';
      this.refuse(at, 'type', `must be one of ${SCHEMA_TYPES.join(', ')}${hint}`);
    }
    return known;
  }

  #visitBranches(branches: unknown, pointer: string, depth: number): void {
    const at = childPointer(pointer, 'anyOf');
    if (!Array.isArray(branches) || branches.length === 0) {
      return this.refuse(at, 'composition', 'must be a list of at least one schema');
    }
    for (const [index, branch] of branches.entries()) this.visit(branch, childPointer(at, index), depth);
  }

  #visitProperties(properties: unknown, pointer: string, depth: number): void {
    const at = childPointer(pointer, 'properties');
    if (!isObject(properties)) return this.refuse(at, 'value', 'must be a JSON object of schemas');
    const names = Object.keys(properties);
    if (names.length > SCHEMA_LIMITS.properties) {
      const message = `has ${names.length} properties, ${SCHEMA_LIMITS.properties} are allowed`;
      this.refuse(at, 'properties', message);
    }
    const seen = new Set<string>();
    for (const name of names) {
      const wrong = refuseName(name) ?? (seen.has(name.normalize('NFC')) ? 'is there twice' : undefined);
      if (wrong) this.refuse(childPointer(at, name), 'name', `the name ${wrong}`);
      seen.add(name.normalize('NFC'));
      this.visit(properties[name], childPointer(at, name), depth + 1);
    }
  }

  #visitRequired({ required, properties }: SchemaObject, pointer: string): void {
    const at = childPointer(pointer, 'required');
    if (!Array.isArray(required)) return this.refuse(at, 'required', 'must be a list of names');
    const seen = new Set<unknown>();
    for (const [index, name] of required.entries()) {
      const item = childPointer(at, index);
      if (typeof name !== 'string') this.refuse(item, 'required', 'must be a name');
      else if (!isObject(properties) || !Object.hasOwn(properties, name)) {
        this.refuse(item, 'required', 'there is no property of this name');
      } else if (seen.has(name)) this.refuse(item, 'required', 'is there twice');
      seen.add(name);
    }
  }

  #visitPattern({ pattern }: SchemaObject, pointer: string): void {
    if (pattern === undefined) return;
    const at = childPointer(pointer, 'pattern');
    if (typeof pattern !== 'string') return this.refuse(at, 'pattern', 'must be a string');
    const wrong = this.#refusePattern(pattern);
    if (wrong) this.refuse(at, 'pattern', wrong);
  }

  #refusePattern(pattern: string): string | undefined {
    if (pattern.length > MAX_PATTERN_LENGTH)
      return `has ${pattern.length} characters, ${MAX_PATTERN_LENGTH} are allowed`;
    this.#patternSize += patternSize(pattern);
    // Checked before compilation, which takes a second for some hundred characters.
    if (this.#patternSize > MAX_PATTERNS_SIZE) return 'it repeats too much, alone or with the other patterns';
    return this.#engine.refusePattern(pattern);
  }
}

function refuseName(name: string): string | undefined {
  if (RESERVED.has(name)) return 'is reserved';
  if (name.trim() === '') return 'is empty';
  if (/\p{Cc}/u.test(name)) return 'has control characters';
  if (name.length > MAX_PROPERTY_NAME_LENGTH) return `has more than ${MAX_PROPERTY_NAME_LENGTH} characters`;
  return undefined;
}

function tooDeep(pointer: string): SchemaViolation {
  const message = `lies more than ${SCHEMA_LIMITS.depth} levels below the root`;
  return { pointer, rule: 'depth', message };
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
