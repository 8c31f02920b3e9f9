import type { Pattern } from './parse-pattern.ts';

type Op =
  | 'character'
  | 'assertion'
  | 'jump'
  | 'split'
  | 'reset'
  | 'loop'
  | 'again'
  | 'save'
  | 'look'
  | 'reference'
  | 'match';

/** An instruction of a backtracking matcher. All have the same shape, for the speed of their millions of executions. */
interface Step {
  op: Op;
  /** Of a character or an assertion. */
  source: string;
  /** Which characters, by number, a source is known to match. */
  known: (boolean | undefined)[];
  /** Where to continue; the alternative of a split, the end of a loop. */
  to: number;
  /** Index into the values: of a count of rounds, a start or an end. */
  key: number;
  least: number;
  most: number;
  lazy: boolean;
  look: { program: Program; negative: boolean } | undefined;
}

interface Program {
  steps: Step[];
  backward: boolean;
}

/** A regular expression that counts its matching steps. */
export interface Matcher {
  /** Steps that a backtracking engine takes to find all matches in a text; stops after `most`. */
  count(text: string, most: number): number;
}

/**
 * Two values per register: count and start of the current iteration for a loop, start and end for a group.
 */
const PER_REGISTER = 2;
const UNSET = -1;
const NO_MATCH = -1;

export function createMatcher(pattern: Pattern, flags: string): Matcher {
  const unicode = /[uv]/.test(flags);
  const names = new Map<string, number>();
  const groups = new Map<number, number>();
  let registers = 0;
  // Characters are numbers, and sources have an answer for each, as the count of a test takes millions of steps.
  const numbers = new Map<string, number>();
  const alphabet: string[] = [];
  const words: (boolean | undefined)[] = [];
  const tests = new Map<string, (boolean | undefined)[]>();
  const main = programOf(pattern, false);
  const [first] = main.steps;
  const isAnchored = first?.op === 'assertion' && first.source === '^' && !flags.includes('m');

  function programOf(body: Pattern, backward: boolean): Program {
    const steps: Step[] = [];
    const emit = (op: Op, rest: Partial<Step> = {}): Step => {
      const { source = '', known = [], to = 0, key = 0, least = 0, most = 0, lazy = false, look } = rest;
      const step = { op, source, known, to, key, least, most, lazy, look };
      steps.push(step);
      return step;
    };
    const visit = (part: Pattern): void => {
      switch (part.kind) {
        case 'character':
          emit('character', { source: part.source, known: knownOf(part.source) });
          break;
        case 'assertion':
          emit('assertion', { source: part.source });
          break;
        case 'sequence':
          for (const each of backward ? part.parts.toReversed() : part.parts) visit(each);
          break;
        case 'choice': {
          const ends: Step[] = [];
          for (const [at, option] of part.options.entries()) {
            if (at === part.options.length - 1) {
              visit(option);
              continue;
            }
            const split = emit('split');
            visit(option);
            ends.push(emit('jump'));
            split.to = steps.length;
          }
          for (const end of ends) end.to = steps.length;
          break;
        }
        case 'group': {
          if (part.index === undefined) return visit(part.body);
          const key = groupOf(part.index);
          if (part.name) names.set(part.name, key);
          emit('save', { key: key + Number(backward) });
          visit(part.body);
          emit('save', { key: key + Number(!backward) });
          break;
        }
        case 'repeat': {
          const key = PER_REGISTER * registers++;
          const { least, most, lazy } = part;
          emit('reset', { key });
          const to = steps.length;
          const loop = emit('loop', { key, least, most, lazy });
          visit(part.body);
          emit('again', { key, least, to });
          loop.to = steps.length;
          break;
        }
        case 'look':
          emit('look', {
            look: { program: programOf(part.body, part.behind), negative: part.negative },
          });
          break;
        case 'reference':
          emit('reference', {
            key: typeof part.to === 'number' ? groupOf(part.to) : (names.get(part.to) ?? UNSET),
          });
          break;
      }
    };
    visit(body);
    emit('match');
    return { steps, backward };
  }

  /** The key of the start of a group; that of its end follows. */
  function groupOf(index: number): number {
    const key = groups.get(index) ?? PER_REGISTER * registers++;
    groups.set(index, key);
    return key;
  }

  function knownOf(source: string): (boolean | undefined)[] {
    const known = tests.get(source) ?? [];
    tests.set(source, known);
    return known;
  }

  function numberOf(character: string): number {
    const known = numbers.get(character);
    if (known !== undefined) return known;
    numbers.set(character, alphabet.length);
    return alphabet.push(character) - 1;
  }

  const characterFlags = flags.replaceAll(/[^iusv]/g, '');
  const learn = (known: (boolean | undefined)[], source: string, character: number): boolean =>
    (known[character] = new RegExp(`^(?:${source})$`, characterFlags).test(alphabet[character] ?? ''));

  return {
    count(text, most) {
      const characters = (unicode ? Array.from(text) : text.split('')).map(numberOf);
      let count = 0;
      const values = new Int32Array(registers * PER_REGISTER);
      // Stacks of plain numbers with their own heights: to shorten an array costs more than a step.
      const choices: number[] = [];
      const changes: number[] = [];
      let [choicesHeight, changesHeight] = [0, 0];

      const isWord = (place: number): boolean => {
        const character = characters[place];
        return character !== undefined && (words[character] ??= /^\w$/.test(alphabet[character] ?? ''));
      };
      const lineBreak = numberOf('\n');
      const multiline = flags.includes('m');
      const asserts = (source: string, at: number): boolean => {
        if (source === '^') return at === 0 || (multiline && characters[at - 1] === lineBreak);
        if (source === '$') return at === characters.length || (multiline && characters[at] === lineBreak);
        return (isWord(at - 1) !== isWord(at)) === (source === '\\b');
      };
      const valueOf = (key: number): number => values[key] ?? UNSET;
      const set = (key: number, value: number): void => {
        changes[changesHeight] = key;
        changes[changesHeight + 1] = valueOf(key);
        changesHeight += 2;
        values[key] = value;
      };

      /** The end of a match that starts at `from`. */
      const match = ({ steps, backward }: Program, from: number): number => {
        const [outerChoices, outerChanges] = [choicesHeight, changesHeight];
        let pc = 0;
        let at = from;
        const ended = (result: number): number => {
          [choicesHeight, changesHeight] = [outerChoices, outerChanges];
          return result;
        };
        const fail = (): boolean => {
          if (choicesHeight === outerChoices) return false;
          choicesHeight -= 3;
          pc = choices[choicesHeight] ?? 0;
          at = choices[choicesHeight + 1] ?? 0;
          const kept = choices[choicesHeight + 2] ?? 0;
          while (changesHeight > kept) {
            changesHeight -= 2;
            values[changes[changesHeight] ?? 0] = changes[changesHeight + 1] ?? UNSET;
          }
          return true;
        };
        const choose = (first: number, second: number): void => {
          choices[choicesHeight] = second;
          choices[choicesHeight + 1] = at;
          choices[choicesHeight + 2] = changesHeight;
          choicesHeight += 3;
          pc = first;
        };
        for (;;) {
          count += 1;
          if (count > most) return ended(NO_MATCH);
          const step = steps[pc];
          if (!step || step.op === 'match') return ended(at);
          pc += 1;
          let ok = true;
          switch (step.op) {
            case 'character': {
              const character = characters[backward ? at - 1 : at];
              ok =
                character !== undefined &&
                (step.known[character] ?? learn(step.known, step.source, character));
              at += backward ? -1 : 1;
              break;
            }
            case 'assertion':
              ok = asserts(step.source, at);
              break;
            case 'jump':
              pc = step.to;
              break;
            case 'split':
              choose(pc, step.to);
              break;
            case 'reset':
              set(step.key, 0);
              break;
            case 'loop': {
              const rounds = Math.max(0, valueOf(step.key));
              if (rounds >= step.most) {
                pc = step.to;
                break;
              }
              if (rounds >= step.least) {
                if (step.lazy) choose(step.to, -pc);
                else choose(pc, step.to);
              }
              if (pc !== step.to) set(step.key + 1, at);
              break;
            }
            case 'again': {
              const rounds = Math.max(0, valueOf(step.key)) + 1;
              ok = rounds <= step.least || valueOf(step.key + 1) !== at;
              set(step.key, rounds);
              pc = step.to;
              break;
            }
            case 'save':
              set(step.key, at);
              break;
            case 'look':
              if (step.look) ok = (match(step.look.program, at) !== NO_MATCH) !== step.look.negative;
              break;
            case 'reference': {
              const [start, end] = [valueOf(step.key), valueOf(step.key + 1)];
              const wanted = start === UNSET || end === UNSET ? [] : characters.slice(start, end);
              ok = wanted.every((each, index) => characters[at + index] === each);
              at += wanted.length;
              count += wanted.length;
              break;
            }
          }
          if (!ok && !fail()) return ended(NO_MATCH);
          // A lazy loop continues: its iteration begins at the current position.
          if (pc < 0) {
            pc = -pc;
            const loop = steps[pc - 1];
            if (loop?.op === 'loop') set(loop.key + 1, at);
          }
        }
      };

      let from = 0;
      while (from <= characters.length) {
        values.fill(UNSET);
        from = Math.max(from + 1, match(main, from));
        // An engine does not try such an expression at other places.
        if (count > most || isAnchored) break;
      }
      return count;
    },
  };
}
