import type { Import, Modules } from './read-modules.ts';
import type { Rule, Rules } from './rules.ts';

/** The name of a file's rule, and the folder that matched it. */
interface Place {
  name: string;
  folder: string;
  rule: Rule;
}

/** One line for every forbidden import and for every file without a rule. */
export function findBreaches(modules: Modules, rules: Rules): string[] {
  return [...modules].flatMap(([path, imports]) => {
    const from = placeOf(path, rules);
    if (!from) return [`${path}: no rule for its folder`];
    return [
      ...imports.filter((each) => !isAllowed(each, from, rules)).map((each) => `${path}: ${target(each)}`),
      ...importedTwice(imports).map((specifier) => `${path}: ${specifier} is imported twice`),
    ];
  });
}

/** The files outside `test` that files of a folder import, directly or indirectly, each with its importer. */
export function findReachedSources(modules: Modules, folder: string): string[] {
  const reached = new Set([...modules.keys()].filter((path) => path.startsWith(folder)));
  const found: string[] = [];
  for (const path of reached) {
    for (const { file } of modules.get(path) ?? []) {
      if (file === undefined) continue;
      if (file.startsWith('test/')) reached.add(file);
      else found.push(`${path}: ${file}`);
    }
  }
  return found;
}

/** The files that are evaluated when a file is, itself included. */
export function reachableFrom(modules: Modules, entry: string): Set<string> {
  const reached = new Set([entry]);
  for (const path of reached) {
    for (const { file, typeOnly } of modules.get(path) ?? []) if (file && !typeOnly) reached.add(file);
  }
  return reached;
}

/**
 * The longest matching rule name wins; a file's own name precedes a folder, and a literal folder precedes
 * `*`.
 */
function placeOf(path: string, rules: Rules): Place | undefined {
  const own = rules[path];
  if (own) return { name: path, folder: path, rule: own };
  const folders = path.split('/').slice(0, -1);
  for (let depth = folders.length; depth > 0; depth -= 1) {
    const folder = folders.slice(0, depth).join('/');
    for (const name of [folder, [...folders.slice(0, depth - 1), '*'].join('/')]) {
      const rule = rules[name];
      if (rule) return { name, folder, rule };
    }
  }
  return undefined;
}

function isAllowed(each: Import, { folder, rule }: Place, rules: Rules): boolean {
  if (each.package?.startsWith('node:')) return rule.builtins !== false;
  if (each.package !== undefined) return rule.packages?.includes(each.package) ?? false;
  const to = placeOf(each.file ?? '', rules);
  if (!to) return false;
  if (to.folder === folder || rule.may.includes(to.name)) return true;
  return each.typeOnly && (rule.types?.includes(to.name) ?? false);
}

function importedTwice(imports: readonly Import[]): string[] {
  const typesOf = new Set(imports.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier));
  const specifiers = imports
    .filter(({ specifier, isExport, isDynamic }) => !isExport && !(isDynamic && typesOf.has(specifier)))
    .map(({ specifier }) => specifier);
  return [...new Set(specifiers.filter((specifier, index) => specifiers.indexOf(specifier) < index))];
}

const target = ({ file, package: name }: Import): string => file ?? name ?? '';
