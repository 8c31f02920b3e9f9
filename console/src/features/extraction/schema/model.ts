/** A node of a JSON Schema. Keywords that the form does not know stay as they are. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** What the form calls a type. */
export const KINDS = ['text', 'choice', 'date', 'number', 'integer', 'boolean', 'group'] as const;
export type Kind = (typeof KINDS)[number];

/** A property of an object as the form shows it. */
export interface SchemaField {
  name: string;
  /** The schema of the property; of a list, the list. */
  node: SchemaNode;
  /** The schema of one value: of a list, that of its items. */
  inner: SchemaNode;
  isList: boolean;
  isRequired: boolean;
  /** Undefined for what only JSON can show. */
  kind: Kind | undefined;
}

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf({ type, format, enum: choices }: SchemaNode): Kind | undefined {
  if (type === 'string') return Array.isArray(choices) ? 'choice' : format === 'date' ? 'date' : 'text';
  if (type === 'object') return 'group';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : undefined;
}

const propertiesOf = ({ properties }: SchemaNode): SchemaNode => (isNode(properties) ? properties : {});
const requiredOf = ({ required }: SchemaNode): readonly unknown[] =>
  Array.isArray(required) ? required : [];

/** The properties of an object, in their order. */
export function fieldsOf(object: SchemaNode): SchemaField[] {
  return Object.entries(propertiesOf(object)).map(([name, value]) => {
    const node = isNode(value) ? value : {};
    const isList = node['type'] === 'array' && isNode(node['items']);
    const inner = isList ? (node['items'] as SchemaNode) : node;
    return { name, node, inner, isList, isRequired: requiredOf(object).includes(name), kind: kindOf(inner) };
  });
}

/** The object with other properties; names of its `required` that are gone are left out. */
function withProperties(object: SchemaNode, entries: (readonly [string, unknown])[]): SchemaNode {
  const properties = Object.fromEntries(entries);
  const required = requiredOf(object).filter((name) => Object.hasOwn(properties, String(name)));
  const { required: _former, ...rest } = object;
  return { ...rest, properties, ...(required.length > 0 && { required }) };
}

const NEW_FIELD = { type: 'string' } as const;

/** Adds a text with a name that is free. */
export function addField(object: SchemaNode): SchemaNode {
  const names = propertiesOf(object);
  let number = Object.keys(names).length + 1;
  while (Object.hasOwn(names, `field_${number}`)) number += 1;
  return withProperties(object, [...Object.entries(names), [`field_${number}`, NEW_FIELD]]);
}

export function removeField(object: SchemaNode, name: string): SchemaNode {
  return withProperties(
    object,
    Object.entries(propertiesOf(object)).filter(([each]) => each !== name),
  );
}

/** @param by -1 up, 1 down */
export function moveField(object: SchemaNode, name: string, by: -1 | 1): SchemaNode {
  const entries = Object.entries(propertiesOf(object));
  const from = entries.findIndex(([each]) => each === name);
  const [moved] = entries.splice(from, 1);
  return moved ? withProperties(object, entries.toSpliced(from + by, 0, moved)) : object;
}

/** Gives a property another name, in its place. */
export function renameField(object: SchemaNode, name: string, next: string): SchemaNode {
  const renamed = Object.entries(propertiesOf(object)).map(
    ([each, node]) => [each === name ? next : each, node] as const,
  );
  const required = requiredOf(object).map((each) => (each === name ? next : each));
  return withProperties({ ...object, ...(required.length > 0 && { required }) }, renamed);
}

export function setField(object: SchemaNode, name: string, node: SchemaNode): SchemaNode {
  return { ...object, properties: { ...propertiesOf(object), [name]: node } };
}

export function setRequired(object: SchemaNode, name: string, isRequired: boolean): SchemaNode {
  const others = requiredOf(object).filter((each) => each !== name);
  const required = isRequired ? [...others, name] : others;
  const { required: _former, ...rest } = object;
  return required.length > 0 ? { ...rest, required } : rest;
}

/** The schema of a field after one value of it has another schema. */
export function withInner({ node, isList }: SchemaField, inner: SchemaNode): SchemaNode {
  return isList ? { ...node, items: inner } : inner;
}

/** The schema of a field as a list, or as a single value; its description stays with the whole. */
export function withList({ node, inner, isList }: SchemaField, wanted: boolean): SchemaNode {
  if (isList === wanted) return node;
  const description = node['description'] !== undefined && { description: node['description'] };
  if (!wanted) return { ...inner, ...description };
  const { description: _moved, ...items } = inner;
  return { type: 'array', ...description, items };
}

/** A schema of another kind; what it says about itself stays. */
export function toKind(inner: SchemaNode, kind: Kind): SchemaNode {
  const kept = Object.fromEntries(
    ['title', 'description'].filter((key) => inner[key] !== undefined).map((key) => [key, inner[key]]),
  );
  if (kind === 'text') return { type: 'string', ...kept };
  if (kind === 'date') return { type: 'string', format: 'date', ...kept };
  if (kind === 'choice') return { type: 'string', enum: [], ...kept };
  if (kind === 'group') return { type: 'object', ...kept, properties: { field_1: NEW_FIELD } };
  return { type: kind, ...kept };
}

/** The pointer of a property of an object. */
export function fieldPointer(pointer: string, name: string): string {
  return `${pointer}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
