/** A part of a regular expression. */
export type Pattern =
  /** One character; `source` is an expression that matches it alone. */
  | { kind: 'character'; source: string }
  | { kind: 'sequence'; parts: Pattern[] }
  | { kind: 'choice'; options: Pattern[] }
  | { kind: 'group'; body: Pattern; index: number | undefined; name: string | undefined }
  | { kind: 'repeat'; body: Pattern; least: number; most: number; lazy: boolean }
  | { kind: 'look'; body: Pattern; behind: boolean; negative: boolean }
  | { kind: 'reference'; to: number | string }
  | { kind: 'assertion'; source: '^' | '$' | '\\b' | '\\B' };

/**
 * Parses the source of a valid regular expression.  @throws Error for a construct that this project does not
 * use yet
 */
export function parsePattern(source: string, flags: string): Pattern {
  const unicode = /[uv]/.test(flags);
  let at = 0;
  let groups = 0;

  const has = (text: string): boolean => source.startsWith(text, at);
  const take = (text: string): boolean => {
    if (!has(text)) return false;
    at += text.length;
    return true;
  };
  const takeMatch = (pattern: RegExp): RegExpExecArray | undefined => {
    const match = pattern.exec(source.slice(at));
    if (match) at += match[0].length;
    return match ?? undefined;
  };

  function choice(): Pattern {
    const options = [sequence()];
    while (take('|')) options.push(sequence());
    const [only] = options;
    return only && options.length === 1 ? only : { kind: 'choice', options };
  }

  function sequence(): Pattern {
    const parts: Pattern[] = [];
    while (at < source.length && !has('|') && !has(')')) parts.push(repeated(atom()));
    return { kind: 'sequence', parts };
  }

  function repeated(body: Pattern): Pattern {
    const match = takeMatch(/^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/);
    if (!match) return body;
    const [, sign, least = '0', comma, most, lazy] = match;
    const range =
      sign === undefined
        ? { least: Number(least), most: comma ? (most ? Number(most) : Infinity) : Number(least) }
        : { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    return { kind: 'repeat', body, ...range, lazy: lazy === '?' };
  }

  function atom(): Pattern {
    if (take('^')) return { kind: 'assertion', source: '^' };
    if (take('$')) return { kind: 'assertion', source: '$' };
    if (has('(')) return group();
    const start = at;
    if (has('[')) {
      takeClass();
      return { kind: 'character', source: source.slice(start, at) };
    }
    const boundary = takeMatch(/^\\[bB]/);
    if (boundary) return { kind: 'assertion', source: boundary[0] as '\\b' | '\\B' };
    const reference = takeMatch(/^\\(?:([1-9]\d*)|k<(\w+)>)/);
    if (reference) return { kind: 'reference', to: reference[2] ?? Number(reference[1]) };
    const escape = takeMatch(/^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^])/u);
    if (escape) return { kind: 'character', source: escape[0] };
    const [character = ''] = takeMatch(unicode ? /^[^]/u : /^[^]/) ?? [];
    return { kind: 'character', source: character };
  }

  function takeClass(): void {
    at += 1;
    while (!take(']')) {
      if (has('[') && flags.includes('v')) takeClass();
      else at += has('\\') ? 2 : 1;
    }
  }

  function group(): Pattern {
    const [opening = ''] = takeMatch(/^\((?:\?(?:<?[=!]|:|<\w+>))?/) ?? [];
    if (source[at] === '?') throw new Error(`unknown group at ${at} of ${source}`);
    const isLook = /[=!]$/.test(opening);
    const captures = opening === '(' || opening.endsWith('>');
    const index = captures ? (groups += 1) : undefined;
    const body = choice();
    at += 1;
    if (isLook) return { kind: 'look', body, behind: opening.includes('<'), negative: opening.endsWith('!') };
    return { kind: 'group', body, index, name: captures ? opening.slice(3, -1) || undefined : undefined };
  }

  const whole = choice();
  if (at < source.length) throw new Error(`unexpected ${source[at]} at ${at} of ${source}`);
  return whole;
}
