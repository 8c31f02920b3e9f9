import { z } from 'zod';
import { mapJson } from './responses.ts';
import type { Call, ProtectedRoute } from './route.ts';

type Names = Readonly<Record<string, string>>;

/** How an older endpoint differs from the route that it is another name of. */
export interface Alias<Result, Answer> extends Partial<
  Pick<ProtectedRoute<Result>, 'query' | 'body' | 'form' | 'handle'>
> {
  path: string;
  operationId: string;
  /** The document adds what the operation is called now. */
  summary: string;
  /** New names of fields by those of the route, wherever they stand: in the path, in the answer and in its schema. */
  rename?: Names;
  /** The answer before fields are renamed, where more than names differ; and its schema. */
  present?: (answer: Answer, result: Result, call: Call<unknown, unknown, unknown>) => unknown;
  answer?: z.ZodType;
}

/** Another name of a route: the same work, told in the words of older clients. */
export function alias<Result, Answer>(
  route: ProtectedRoute<Result, Answer>,
  {
    rename = {},
    present,
    answer,
    summary,
    handle = (call) => route.handle(call),
    ...other
  }: Alias<Result, Answer>,
): ProtectedRoute<Result> {
  const { params = z.object() } = route;
  const tell = (result: Result, call: Call<unknown, unknown, unknown>) =>
    route.present ? route.present(result, call) : (result as unknown as Answer);
  return {
    ...route,
    ...other,
    tag: 'Legacy',
    summary: `${summary}; now ${route.method.toUpperCase()} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`,
    ...(route.params && { params: renameSchema(params, rename) }),
    responses: mapJson(route.responses, (schema) => legacySchema(schema, answer ?? schema, rename)),
    handle: (call) => handle(withOldParams(call, params, rename)),
    async present(result, call) {
      const given = withOldParams(call, params, rename);
      const told = await tell(result, given);
      return renameFields(present ? present(told, result, given) : told, rename);
    },
  };
}

/** The same JSON with new names for its fields, at every depth. */
export function renameFields(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((entry) => renameFields(entry, names));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [names[name] ?? name, renameFields(field, names)]));
}

/** The same for the schema of that JSON. What has none of these fields stays as it is. */
export function renameSchema<S extends z.ZodType>(schema: S, names: Names): S;
export function renameSchema(schema: z.ZodType, names: Names): z.ZodType {
  if (schema instanceof z.ZodArray) {
    const element = renameSchema(schema.element as z.ZodType, names);
    return element === schema.element ? schema : z.array(element).meta({ ...schema.meta(), id: undefined });
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const before = Object.entries<z.ZodType>(schema.shape);
  const after = before.map(([name, field]) => [names[name] ?? name, renameSchema(field, names)] as const);
  return after.every(([name, field], at) => name === before[at]?.[0] && field === before[at][1])
    ? schema
    : z.object(Object.fromEntries(after));
}

/** Two aliases with the same answer share its schema: the document knows one of each id. */
const made = new WeakMap<z.ZodType, WeakMap<Names, z.ZodType>>();

function legacySchema(schema: z.ZodType, answer: z.ZodType, names: Names): z.ZodType {
  const byNames = made.get(answer) ?? new WeakMap<Names, z.ZodType>();
  made.set(answer, byNames);
  const known = byNames.get(names);
  if (known) return known;
  const renamed = renameSchema(answer, names).meta({ id: `Legacy${schema.meta()?.id ?? ''}` });
  byNames.set(names, renamed);
  return renamed;
}

function withOldParams<C extends Call<unknown, unknown, unknown>>(
  call: C,
  params: z.ZodObject,
  names: Names,
): C {
  const given = call.params as Record<string, unknown>;
  const old = Object.keys(params.shape).map((name) => [name, given[names[name] ?? name]]);
  return { ...call, params: Object.fromEntries(old) };
}
