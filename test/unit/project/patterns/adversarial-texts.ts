import type { Pattern } from './parse-pattern.ts';

/** A text that repeats one part. */
export interface Attack {
  before: string;
  repeated: string;
  after: string;
}

/** Characters of every class that the expressions distinguish. */
const CHARACTERS = [
  ...'aezxAZ019 \t\n\r_-.,:;|()[]{}<>/\\"\'#@$%+=*&!?~^`',
  ...'€©éßÄ…•\u00A0\u00AD\u0301\u0000\uFFFD\uFB01لأ漢あ“–',
];

/**
 * Texts that cause much backtracking, made from the parts of an expression and the characters that it
 * distinguishes.
 */
export function* adversarialTexts(pattern: Pattern, flags: string): Generator<Attack> {
  const sources = [...new Set(charactersIn(pattern))];
  const tests = sources.map((source) => new RegExp(`^(?:${source})$`, flags.replaceAll(/[^iusv]/g, '')));
  const kinds = new Map<string, string>();
  for (const character of [...sources.filter((source) => [...source].length === 1), ...CHARACTERS]) {
    const kind = tests.map((test) => (test.test(character) ? '1' : '0')).join('');
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  const alphabet = [...kinds.values()];
  const oneOf = (source: string): string => {
    const test = tests[sources.indexOf(source)];
    return alphabet.find((character) => test?.test(character)) ?? '';
  };
  const loops = loopsIn(pattern, oneOf);
  const befores = new Set(['', ...loops.flatMap(({ before }) => before)]);
  const bodies = loops.flatMap(({ bodies: texts }) => texts);
  const units = new Set([...alphabet, ...bodies, ...bodies.flatMap((body) => [`${body} `, `${body}\n`])]);
  units.delete('');
  for (const before of befores) {
    for (const repeated of units) {
      for (const after of ['', ...alphabet]) yield { before, repeated, after };
    }
  }
}

function* charactersIn(pattern: Pattern): Generator<string> {
  switch (pattern.kind) {
    case 'character':
      yield pattern.source;
      break;
    case 'sequence':
      for (const part of pattern.parts) yield* charactersIn(part);
      break;
    case 'choice':
      for (const option of pattern.options) yield* charactersIn(option);
      break;
    case 'group':
    case 'repeat':
    case 'look':
      yield* charactersIn(pattern.body);
      break;
    case 'reference':
    case 'assertion':
      break;
  }
}

interface Loop {
  /** Texts that match up to the loop. */
  before: string[];
  /** Texts of one iteration. */
  bodies: string[];
}

/** The repeated parts of an expression. */
export function loopsIn(pattern: Pattern, oneOf: (source: string) => string): Loop[] {
  const loops: Loop[] = [];

  /** Returns texts that match the part: the shortest ones, and ones with all optional parts. */
  function visit(part: Pattern, before: readonly string[]): string[] {
    switch (part.kind) {
      case 'character':
        return [oneOf(part.source)];
      case 'assertion':
      case 'reference':
        return [''];
      case 'look':
        visit(part.body, before);
        return [''];
      case 'group':
        return visit(part.body, before);
      case 'choice':
        return distinct(part.options.flatMap((option) => visit(option, before)));
      case 'sequence':
        return part.parts.reduce<string[]>(
          (texts, each) => {
            const own = visit(each, distinct(before.flatMap((start) => texts.map((text) => start + text))));
            return distinct(texts.flatMap((text) => own.map((more) => text + more)));
          },
          [''],
        );
      case 'repeat': {
        const bodies = visit(part.body, before);
        if (part.most > 1) loops.push({ before: [...before], bodies });
        const least = bodies.map((body) => body.repeat(part.least));
        return distinct([...least, ...(part.least === 0 ? bodies : [])]);
      }
    }
  }

  visit(pattern, ['']);
  return loops;
}

/** More alternatives for the same position do not improve the search. */
const MOST_WAYS = 6;

function distinct(texts: readonly string[]): string[] {
  const unlike = [...new Set(texts)];
  const step = Math.max(1, unlike.length / MOST_WAYS);
  return Array.from(
    { length: Math.min(unlike.length, MOST_WAYS) },
    (_, at) => unlike[Math.floor(at * step)] ?? '',
  );
}
