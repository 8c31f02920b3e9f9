import { spawnSync } from 'node:child_process';

/** A fenced block of a page, with the number of the line that opens it. */
export interface Fence {
  language: string;
  lines: string[];
  line: number;
}

/** A command of a page, with the JSON shown below it as its response, in its fence or in the next one. */
export interface DocumentedCommand {
  text: string;
  line: number;
  answer?: unknown;
}

const LANGUAGES = ['', 'console', 'json', 'js', 'python', 'sql', 'ts'];

/** The fenced blocks of a page, and problems such as two blocks joined by a merge. */
export function readFences(markdown: string): { fences: Fence[]; problems: string[] } {
  const fences: Fence[] = [];
  const problems: string[] = [];
  let open: Fence | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    const [, ticks, language = ''] = /^\s*(`{3,})(.*)$/.exec(text) ?? [];
    const line = index + 1;
    if (ticks && ticks.length > 3) problems.push(`${line}: a fence of ${ticks.length} backticks`);
    if (!ticks) {
      if (open && /^#{2,6} \S/.test(text)) problems.push(`${line}: a heading within a fence: ${text}`);
      open?.lines.push(text);
    } else if (open) {
      if (language !== '') problems.push(`${line}: a fence begins within that of line ${open.line}`);
      fences.push(open);
      open = undefined;
    } else {
      if (!LANGUAGES.includes(language)) problems.push(`${line}: a fence of unknown language ${language}`);
      open = { language, lines: [], line };
    }
  }
  if (open) problems.push(`${open.line}: a fence without an end`);
  for (const { language, lines, line } of fences) {
    if (language === 'json' && parsed(lines.join('\n')) === undefined) problems.push(`${line}: not JSON`);
  }
  return { fences, problems };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The complete commands of a page in order, without prompts and output. A program whose first line names a file, such as
 * `# first.py`, is a command that writes this file.
 */
export function readCommands(markdown: string): DocumentedCommand[] {
  const { fences } = readFences(markdown);
  return fences.flatMap((fence, index) => {
    const [, file] = /^(?:#|\/\/) ([\w-]+\.(?:py|ts))$/.exec(fence.lines[0] ?? '') ?? [];
    if (file) return [{ text: `cat > ${file} <<'END'\n${fence.lines.join('\n')}\nEND`, line: fence.line }];
    if (fence.language !== 'console') return [];
    const commands = commandsOf(fence);
    const next = fences[index + 1];
    const last = commands.at(-1);
    // Only a blank line separates them.
    const isAnswer = next?.language === 'json' && next.line === fence.line + fence.lines.length + 3;
    if (isAnswer && last) last.answer = parsed(next.lines.join('\n'));
    return commands;
  });
}

function commandsOf({ lines, line }: Fence): DocumentedCommand[] {
  const commands: DocumentedCommand[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const begun = /^\$ (.*)$/.exec(lines[at] ?? '')?.[1];
    if (begun === undefined) continue;
    const [first, parts] = [at, [begun]];
    while (!isWhole(parts.join('\n')) && at + 1 < lines.length) parts.push(lines[(at += 1)] ?? '');
    const next = lines.findIndex((text, index) => index > at && text.startsWith('$ '));
    const printed = lines.slice(at + 1, next < 0 ? undefined : next).join('\n');
    const answer = printed.startsWith('{') ? parsed(printed) : undefined;
    commands.push({
      text: parts.join('\n'),
      line: line + 1 + first,
      ...(answer !== undefined && { answer }),
    });
  }
  return commands;
}

/** Whether a shell accepts a command, by its text: to ask it is slow, and several tests read the same pages. */
const whole = new Map<string, boolean>();

function isWhole(text: string): boolean {
  const known = whole.get(text);
  if (known !== undefined) return known;
  const { status, stderr } = spawnSync('bash', ['-n', '-c', text], { env: { ...process.env, LC_ALL: 'C' } });
  // It only warns of a here-document without an end.
  const is = !text.endsWith('\\') && status === 0 && stderr.length === 0;
  whole.set(text, is);
  return is;
}

/** The documented properties that a response lacks, and values of another type. `…` matches any further values. */
export function missingFrom(documented: unknown, actual: unknown, at = ''): string[] {
  if (documented === null || actual === null || documented === '…') return [];
  if (Array.isArray(documented)) {
    if (!Array.isArray(actual)) return [`${at} is not a list`];
    return documented.length > 0 && actual.length > 0 ? missingFrom(documented[0], actual[0], `${at}/0`) : [];
  }
  if (typeof documented !== typeof actual) return [`${at} is a ${typeof actual}`];
  if (typeof documented !== 'object') return [];
  return Object.entries(documented).flatMap(([key, value]) => {
    if (key === '…') return [];
    if (!Object.hasOwn(actual as object, key)) return [`${at}/${key} is missing`];
    return missingFrom(value, (actual as Record<string, unknown>)[key], `${at}/${key}`);
  });
}

/** API requests in commands without a key or a session, except the public requests to log in. */
export function withoutCredential(commands: readonly DocumentedCommand[]): string[] {
  return commands.flatMap(({ text, line }) =>
    text
      .split(/(?=\bcurl )/)
      .filter((part) => /^curl .*(\$API|\/api\/v2)/s.test(part) && !/\$API\/auth\//.test(part))
      .filter((part) => !/-H "X-API-Key: \$\w*KEY"| -b jar /.test(part))
      .map((part) => `${line}: ${part.split('\n')[0]}`),
  );
}

/** Variables and cookie jars that a command uses and no command up to it makes. */
export function usedBeforeMade(commands: readonly DocumentedCommand[]): string[] {
  const made = new Set(['HOME', 'PATH', 'PWD']);
  return commands.flatMap(({ text, line }) => {
    for (const [, assigned, looped] of text.matchAll(/\b([A-Z_]+)=|\bfor ([A-Z_]+) in /g)) {
      made.add(assigned ?? looped ?? '');
    }
    for (const [, jar = ''] of text.matchAll(/ -c (\w+)/g)) made.add(jar);
    // Programs are quoted.
    if (/<<'/.test(text)) return [];
    return Array.from(text.matchAll(/\$\{?([A-Z_]+)| -b ([a-z]\w*)/g), ([, name, jar]) => name ?? jar ?? '')
      .filter((name) => !made.has(name))
      .map((name) => `${line}: ${name}`);
  });
}

/** Table rows with more or fewer cells than their heading. */
export function brokenRows(markdown: string): string[] {
  let cells: number | undefined;
  return markdown.split('\n').flatMap((text, index) => {
    if (!text.startsWith('|')) {
      cells = undefined;
      return [];
    }
    const found = text.replaceAll(/\\\||`[^`]*`/g, '').split('|').length;
    cells ??= found;
    return found === cells ? [] : [`${index + 1}: a row of ${found - 2} cells below one of ${cells - 2}`];
  });
}

/** The anchors of the headings of a page, as GitHub generates them. */
export function anchorsOf(markdown: string): Set<string> {
  return new Set(
    Array.from(markdown.matchAll(/^#{1,6} (.+)$/gm), ([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}
