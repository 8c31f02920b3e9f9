import {
  outstanding,
  type ComponentName,
  type Components,
  type FailureReason,
} from '../../domain/components.ts';
import { applyFastPath, type FastPathResult } from '../../domain/fast-path.ts';
import { applyFileEvent, type FileEvent } from '../../domain/file-events.ts';
import { componentsOf, stepsOf, type Step, type StepActivity } from '../../domain/pipelines/index.ts';
import { primaryStatus, unifiedStatus } from '../../domain/primary-status.ts';
import type { ProcessFileInput, ProcessFileResult } from '../../temporal/contract/process-file.ts';

/** One projection of a run, as it is written to the file's row. */
export interface Projection {
  fileId: string;
  tenantId: string;
  generation: number;
  seq: number;
  components: Components;
}

/** The state of one run of `processFile`: pure, so that tests drive it without an engine. */
export class FileRun {
  readonly #input: ProcessFileInput;
  #components: Components;
  #seq = 0;
  #closed = false;
  readonly #recorded = new Set<StepActivity>();

  constructor(input: ProcessFileInput) {
    this.#input = input;
    this.#components = input.components;
  }

  get seq(): number {
    return this.#seq;
  }

  get mediaType() {
    return this.#input.mediaType;
  }

  get components(): Components {
    return this.#components;
  }

  get status() {
    return primaryStatus(this.#components);
  }

  /** The result of the ended run. */
  get result(): ProcessFileResult {
    const failures = componentsOf(this.mediaType).flatMap(({ name: component }) => {
      const error = this.#components[component]?.error;
      return error ? [{ component, code: error.code, reason: error.message }] : [];
    });
    return { outcome: this.status, ...(failures.length > 0 && { failures }) };
  }

  get unified() {
    return unifiedStatus(this.#components);
  }

  scheduled(component: ComponentName, at: string): void {
    this.#apply({ type: 'step_scheduled', component, at });
  }

  /** @param incomplete why a part of its result is missing */
  completed(component: ComponentName, at: string, incomplete?: FailureReason): void {
    this.#apply({ type: 'step_completed', component, at, incomplete });
  }

  failed(component: ComponentName, at: string, reason: FailureReason): void {
    this.#apply({ type: 'step_failed', mediaType: this.mediaType, component, at, reason });
  }

  /** Applies the recorded results of the fast path, which takes one `seq` of the row even without results. */
  recorded(result: FastPathResult): void {
    const { ended } = result;
    this.#components = applyFastPath(this, result);
    for (const { step } of ended) this.#recorded.add(step);
    this.#seq += 1;
    this.#closed = ended.length > 0 && outstanding(this).length === 0;
  }

  /** Whether the fast path left nothing to do, and has recorded the end of the run as well. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The steps of a component that this run has to do. */
  stepsLeft(component: ComponentName): Step[] {
    return stepsOf(this, component).filter(({ activity }) => !this.#recorded.has(activity));
  }

  cancelled(at: string): void {
    this.#apply({ type: 'run_cancelled', at });
  }

  /** The first projection; writing it returns the `seq` to continue from. */
  first(): Omit<Projection, 'seq'> {
    const { fileId, tenantId, generation } = this.#input;
    return { fileId, tenantId, generation, components: this.#components };
  }

  begin(seq: number): void {
    this.#seq = seq;
  }

  /** The next projection; each has a higher `seq` than the previous one. */
  project(): Projection {
    this.#seq += 1;
    return { ...this.first(), seq: this.#seq };
  }

  #apply(event: FileEvent): void {
    this.#components = applyFileEvent(this.#components, event);
  }
}
