import { setTimeout as delay } from 'node:timers/promises';
import fc, { type Arbitrary } from 'fast-check';

/** What became of one input that was handled as it should be. */
export interface Outcome {
  /** `crashed`: a child process ended, which its parent reported as a typed error. */
  result: 'accepted' | 'refused' | 'crashed';
  /** Status, code or reason, for the counts. */
  code: string;
}

/** The product handled an input as it should not. */
export class Finding extends Error {
  override readonly name = 'Finding';
  /** The same for every input that shows the same fault. */
  readonly kind: string;

  constructor(kind: string, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.kind = kind;
  }
}

/** A kind of generated input, and what handles it. */
export interface Part<Input> {
  name: string;
  inputs: Arbitrary<Input>;
  /** Handled before the generated inputs. */
  examples?: readonly Input[];
  /** @throws Finding; any other error counts as one */
  handle(input: Input): Promise<Outcome>;
  /** The input as a file. */
  save(input: Input): Promise<{ extension: string; bytes: Uint8Array }>;
  /** Longest time for one input, after which it is a finding. */
  deadlineMs: number;
  /** Called after the last input. @throws Finding for what is left of them */
  close?(): Promise<void>;
}

export interface SavedInput {
  kind: string;
  detail: string;
  /** How many inputs showed it, without those of shrinking. */
  count: number;
  extension: string;
  bytes: Uint8Array;
  /** The input as fast-check prints it. */
  input: string;
}

export interface PartResult {
  name: string;
  asked: number;
  /** Inputs handled, without those of shrinking. */
  cases: number;
  /** How many inputs had each outcome. */
  outcomes: Map<string, { outcome: Outcome; count: number }>;
  /** Each kind once, with the smallest input that shows it. */
  findings: SavedInput[];
  /** The first input of each kind that crashed a child process. */
  crashes: SavedInput[];
}

export interface PartOptions {
  seed: number;
  cases: number;
  /** Aborting it ends the part early. */
  signal?: AbortSignal;
}

/** Attempts to make a failing input smaller. */
const MOST_SHRINKS = 300;
/** A part with more kinds of findings ends early. */
const MOST_KINDS = 25;

/**
 * Handles generated inputs one after another. A failing input is made smaller, and then the part goes on with other
 * inputs: a fault that is known already is only counted.
 */
export async function runPart<Input>(part: Part<Input>, options: PartOptions): Promise<PartResult> {
  const { seed, cases, signal } = options;
  const { name, inputs, deadlineMs } = part;
  const outcomes: PartResult['outcomes'] = new Map();
  const findings = new Map<string, SavedInput>();
  const crashes = new Map<string, SavedInput>();
  const describe = async (kind: string, detail: string, input: Input): Promise<SavedInput> => {
    const printed = fc.stringify(input).slice(0, 100_000);
    return { kind, detail, count: 1, input: printed, ...(await part.save(input)) };
  };
  let handled = 0;

  async function count(input: Input): Promise<Finding | undefined> {
    const ended = await withinDeadline(part.handle(input), deadlineMs);
    if (ended instanceof Finding) {
      const known = findings.get(ended.kind);
      if (known) known.count += 1;
      return known ? undefined : ended;
    }
    const key = `${ended.result} ${ended.code}`;
    outcomes.set(key, { outcome: ended, count: (outcomes.get(key)?.count ?? 0) + 1 });
    if (ended.result === 'crashed' && !crashes.has(ended.code))
      crashes.set(ended.code, await describe(ended.code, 'the child process ended', input));
    return undefined;
  }

  const isOver = () => handled >= cases || findings.size >= MOST_KINDS || signal?.aborted === true;
  for (let round = 0; !isOver(); round += 1) {
    let first: Finding | undefined;
    let shrinks = 0;
    const property = fc.asyncProperty(inputs, async (input) => {
      if (signal?.aborted || shrinks > MOST_SHRINKS) return;
      if (!first) {
        handled += 1;
        first = await count(input);
        if (first) throw first;
        return;
      }
      shrinks += 1;
      const again = await withinDeadline(part.handle(input), deadlineMs);
      if (again instanceof Finding && again.kind === first.kind) throw again;
    });
    const examples = (part.examples ?? []).slice(handled).map((input): [Input] => [input]);
    const details = await fc.check(property, { seed: seed + round, numRuns: cases - handled, examples });
    if (!first || !details.counterexample) continue;
    const smallest = details.errorInstance instanceof Finding ? details.errorInstance : first;
    findings.set(first.kind, await describe(first.kind, smallest.message, details.counterexample[0]));
  }
  const left = await withinDeadline(closed(part), deadlineMs);
  if (left instanceof Finding) {
    const { kind, message } = left;
    findings.set(kind, {
      kind,
      detail: message,
      count: 1,
      input: '',
      extension: 'txt',
      bytes: Buffer.from(message),
    });
  }
  return {
    name,
    asked: cases,
    cases: handled,
    outcomes,
    findings: [...findings.values()],
    crashes: [...crashes.values()],
  };
}

async function closed({ close }: Pick<Part<never>, 'close'>): Promise<Outcome> {
  await close?.();
  return { result: 'accepted', code: '' };
}

/** Waits for an outcome. Any error is a finding, and so is no outcome in time. */
async function withinDeadline(handling: Promise<Outcome>, milliseconds: number): Promise<Outcome | Finding> {
  const late = new AbortController();
  const tooLate = async (): Promise<Finding> => {
    await delay(milliseconds, undefined, { signal: late.signal });
    return new Finding('no answer in time', `nothing happened within ${milliseconds / 1000} s`);
  };
  try {
    return await Promise.race([handling, tooLate()]);
  } catch (error) {
    if (error instanceof Finding) return error;
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    const firstLine = message.split('\n')[0]?.slice(0, 120) ?? '';
    // Without ids and positions, which differ between inputs.
    return new Finding(`${name}: ${firstLine.replaceAll(/[\da-f-]*\d[\da-f-]*/gi, '#')}`, stack ?? message);
  } finally {
    late.abort();
  }
}
