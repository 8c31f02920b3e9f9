import { z } from 'zod';
import { mapJson } from './responses.ts';
import { StreamedText } from './streamed.ts';
import type { Call, ProtectedRoute } from './route.ts';

type Names = Readonly<Record<string, string>>;

/** How a legacy endpoint differs from the route it is an alias of. */
export interface Alias<Result, Answer> extends Partial<
  Pick<ProtectedRoute<Result>, 'query' | 'body' | 'form' | 'errors' | 'handle'>
> {
  path: string;
  operationId: string;
  /** The current operation is appended in the document. */
  summary: string;
  /** Legacy field names by those of the route, used in the path, in the response and in its schema. */
  rename?: Names;
  /** Changes the response and its schema before fields are renamed, if more than names differ. */
  present?: (answer: Answer, result: Result, call: Call<unknown, unknown, unknown>) => unknown;
  answer?: z.ZodType;
}

/** An alias of a route: the same operation, with the field names of older clients. */
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
  const presentCurrent = (result: Result, call: Call<unknown, unknown, unknown>) =>
    route.present ? route.present(result, call) : (result as unknown as Answer);
  return {
    ...route,
    ...other,
    deprecated: true,
    tag: 'Legacy',
    summary: `${summary}; now ${route.method.toUpperCase()} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`,
    ...(route.params && { params: renameSchema(params, rename) }),
    answers: mapJson(route.answers, (schema) => legacySchema(schema, answer ?? schema, rename)),
    handle: (call) => handle(withCurrentParams(call, params, rename)),
    async present(result, call) {
      const given = withCurrentParams(call, params, rename);
      const current = await presentCurrent(result, given);
      return renameFields(present ? await present(current, result, given) : current, rename);
    },
  };
}

/** Renames the fields of a JSON value at every depth; streamed text has no fields. */
export function renameFields(value: unknown, names: Names): unknown {
  if (value instanceof StreamedText) return value;
  if (Array.isArray(value)) return value.map((entry) => renameFields(entry, names));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [names[name] ?? name, renameFields(field, names)]));
}

/** Renames the fields in a schema. Schemas without any of these fields are returned unchanged. */
export function renameSchema<S extends z.ZodType>(schema: S, names: Names): S;
export function renameSchema(schema: z.ZodType, names: Names): z.ZodType {
  if (schema instanceof z.ZodArray) {
    const element = renameSchema(schema.element as z.ZodType, names);
    return element === schema.element ? schema : z.array(element).meta({ ...schema.meta(), id: undefined });
  }
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const options = schema.options as z.ZodObject[];
    const renamed = options.map((option) => {
      const other = renameSchema(option, names);
      return other === option ? option : other.meta({ ...option.meta() });
    });
    if (renamed.every((option, at) => option === options[at])) return schema;
    return z.discriminatedUnion(schema.def.discriminator, renamed as [z.ZodObject, ...z.ZodObject[]]);
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const before = Object.entries<z.ZodType>(schema.shape);
  const after = before.map(([name, field]) => [names[name] ?? name, renameSchema(field, names)] as const);
  if (after.every(([name, field], at) => name === before[at]?.[0] && field === before[at][1])) return schema;
  return z.object(Object.fromEntries(after)).meta({ ...schema.meta(), id: undefined });
}

const LEGACY = /^Legacy/;

/** Aliases with the same response share its schema, because schema ids are unique in the document. */
const made = new WeakMap<z.ZodType, WeakMap<Names, z.ZodType>>();

function legacySchema(schema: z.ZodType, answer: z.ZodType, names: Names): z.ZodType {
  const byNames = made.get(answer) ?? new WeakMap<Names, z.ZodType>();
  made.set(answer, byNames);
  const known = byNames.get(names);
  if (known) return known;
  const renamed = renameSchema(answer, names);
  const named = LEGACY.test(renamed.meta()?.id ?? '')
    ? renamed
    : renamed.meta({ id: `Legacy${schema.meta()?.id ?? ''}` });
  byNames.set(names, named);
  return named;
}

/** Renames path parameters back to those of the route. */
function withCurrentParams<C extends Call<unknown, unknown, unknown>>(
  call: C,
  params: z.ZodObject,
  names: Names,
): C {
  const given = call.params as Record<string, unknown>;
  const current = Object.keys(params.shape).map((name) => [name, given[names[name] ?? name]]);
  return { ...call, params: Object.fromEntries(current) };
}
