import type { Pattern } from './parse-pattern.ts';

/** An instruction of a backtracking matcher. */
type Step =
  | { op: 'character'; source: string }
  | { op: 'assertion'; source: string }
  | { op: 'jump'; to: number }
  | { op: 'split'; first: number; second: number }
  | { op: 'reset'; register: number }
  | { op: 'loop'; register: number; least: number; most: number; lazy: boolean; end: number }
  | { op: 'again'; register: number; least: number; to: number }
  | { op: 'begin' | 'end'; group: number }
  | { op: 'look'; program: Program; negative: boolean }
  | { op: 'reference'; group: number }
  | { op: 'match' };

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

export function createMatcher(pattern: Pattern, flags: string): Matcher {
  const unicode = /[uv]/.test(flags);
  const names = new Map<string, number>();
  let registers = 0;
  const main = programOf(pattern, false);
  const tests = new Map<string, Map<string, boolean>>();

  function programOf(body: Pattern, backward: boolean): Program {
    const steps: Step[] = [];
    const emit = (step: Step): number => steps.push(step) - 1;
    const visit = (part: Pattern): void => {
      switch (part.kind) {
        case 'character':
          emit({ op: 'character', source: part.source });
          break;
        case 'assertion':
          emit({ op: 'assertion', source: part.source });
          break;
        case 'sequence':
          for (const each of backward ? part.parts.toReversed() : part.parts) visit(each);
          break;
        case 'choice': {
          const ends: { op: 'jump'; to: number }[] = [];
          for (const [at, option] of part.options.entries()) {
            if (at === part.options.length - 1) {
              visit(option);
              continue;
            }
            const split = { op: 'split' as const, first: steps.length + 1, second: 0 };
            emit(split);
            visit(option);
            const jump = { op: 'jump' as const, to: 0 };
            ends.push(jump);
            emit(jump);
            split.second = steps.length;
          }
          for (const end of ends) end.to = steps.length;
          break;
        }
        case 'group':
          if (part.index === undefined) return visit(part.body);
          if (part.name) names.set(part.name, groupOf(part.index));
          emit({ op: backward ? 'end' : 'begin', group: groupOf(part.index) });
          visit(part.body);
          emit({ op: backward ? 'begin' : 'end', group: groupOf(part.index) });
          break;
        case 'repeat': {
          const register = registers++;
          const { least, most, lazy } = part;
          emit({ op: 'reset', register });
          const loop = { op: 'loop' as const, register, least, most, lazy, end: 0 };
          const start = emit(loop);
          visit(part.body);
          emit({ op: 'again', register, least, to: start });
          loop.end = steps.length;
          break;
        }
        case 'look':
          emit({ op: 'look', program: programOf(part.body, part.behind), negative: part.negative });
          break;
        case 'reference':
          emit({
            op: 'reference',
            group: typeof part.to === 'number' ? groupOf(part.to) : (names.get(part.to) ?? -1),
          });
          break;
      }
    };
    visit(body);
    emit({ op: 'match' });
    return { steps, backward };
  }

  function groupOf(index: number): number {
    return -index;
  }

  function fits(source: string, character: string): boolean {
    const known = tests.get(source) ?? new Map<string, boolean>();
    tests.set(source, known);
    const before = known.get(character);
    if (before !== undefined) return before;
    const fit = new RegExp(`^(?:${source})$`, flags.replaceAll(/[^iusv]/g, '')).test(character);
    known.set(character, fit);
    return fit;
  }

  return {
    count(text, most) {
      const characters = unicode ? Array.from(text) : text.split('');
      let count = 0;
      const values = new Map<number, number>();

      const asserts = (source: string, at: number): boolean => {
        const multiline = flags.includes('m');
        if (source === '^') return at === 0 || (multiline && characters[at - 1] === '\n');
        if (source === '$') return at === characters.length || (multiline && characters[at] === '\n');
        const isWord = (place: number): boolean => /^\w$/.test(characters[place] ?? '');
        return (isWord(at - 1) !== isWord(at)) === (source === '\\b');
      };

      /** The end of a match that starts at `from`. */
      const match = ({ steps, backward }: Program, from: number): number | undefined => {
        const choices: { pc: number; at: number; changes: number }[] = [];
        const changes: { key: number; value: number | undefined }[] = [];
        const set = (key: number, value: number): void => {
          changes.push({ key, value: values.get(key) });
          values.set(key, value);
        };
        let pc = 0;
        let at = from;
        const fail = (): boolean => {
          const choice = choices.pop();
          if (!choice) return false;
          while (changes.length > choice.changes) {
            const { key, value } = changes.pop() ?? { key: 0, value: undefined };
            if (value === undefined) values.delete(key);
            else values.set(key, value);
          }
          ({ pc, at } = choice);
          return true;
        };
        const choose = (first: number, second: number): void => {
          choices.push({ pc: second, at, changes: changes.length });
          pc = first;
        };
        for (;;) {
          count += 1;
          if (count > most) return undefined;
          const step = steps[pc];
          if (!step || step.op === 'match') return at;
          pc += 1;
          let ok = true;
          switch (step.op) {
            case 'character': {
              const character = characters[backward ? at - 1 : at];
              ok = character !== undefined && fits(step.source, character);
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
              choose(step.first, step.second);
              break;
            case 'reset':
              set(step.register * PER_REGISTER, 0);
              break;
            case 'loop': {
              const rounds = values.get(step.register * PER_REGISTER) ?? 0;
              if (rounds >= step.most) {
                pc = step.end;
                break;
              }
              if (rounds >= step.least) {
                if (step.lazy) choose(step.end, -pc);
                else choose(pc, step.end);
              }
              if (pc !== step.end) set(step.register * PER_REGISTER + 1, at);
              break;
            }
            case 'again': {
              const rounds = (values.get(step.register * PER_REGISTER) ?? 0) + 1;
              ok = rounds <= step.least || values.get(step.register * PER_REGISTER + 1) !== at;
              set(step.register * PER_REGISTER, rounds);
              pc = step.to;
              break;
            }
            case 'begin':
              set(step.group * PER_REGISTER - 1, at);
              break;
            case 'end':
              set(step.group * PER_REGISTER, at);
              break;
            case 'look':
              ok = (match(step.program, at) !== undefined) !== step.negative;
              break;
            case 'reference': {
              const [start, end] = [
                values.get(step.group * PER_REGISTER - 1),
                values.get(step.group * PER_REGISTER),
              ];
              const wanted = start === undefined || end === undefined ? [] : characters.slice(start, end);
              ok = wanted.every((each, index) => characters[at + index] === each);
              at += wanted.length;
              count += wanted.length;
              break;
            }
          }
          if (!ok && !fail()) return undefined;
          // A lazy loop continues: its iteration begins at the current position.
          if (pc < 0) {
            pc = -pc;
            const loop = steps[pc - 1];
            if (loop?.op === 'loop') set(loop.register * PER_REGISTER + 1, at);
          }
        }
      };

      let from = 0;
      while (from <= characters.length) {
        values.clear();
        from = Math.max(from + 1, match(main, from) ?? 0);
        if (count > most) break;
      }
      return count;
    },
  };
}
