import type { ComponentName, Components, FailureReason } from '../../domain/components.ts';
import { applyFileEvent, type FileEvent } from '../../domain/file-events.ts';
import { primaryStatus, unifiedStatus } from '../../domain/primary-status.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';

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

  constructor(input: ProcessFileInput) {
    this.#input = input;
    this.#components = input.components;
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

  get unified() {
    return unifiedStatus(this.#components);
  }

  scheduled(component: ComponentName, at: string): void {
    this.#apply({ type: 'step_scheduled', component, at });
  }

  completed(component: ComponentName, at: string): void {
    this.#apply({ type: 'step_completed', component, at });
  }

  failed(component: ComponentName, at: string, reason: FailureReason): void {
    this.#apply({ type: 'step_failed', mediaType: this.mediaType, component, at, reason });
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
