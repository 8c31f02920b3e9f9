/**
 * Where code says what a trace shows of it. A program that is told where to send traces installs an implementation
 * (adapters/tracing); without one, work is called directly, and no code for traces is loaded.
 */

/**
 * Ids and numbers about a piece of work. Never contents: no names of files, questions, values of statements or URLs, and
 * nothing else that a tenant has chosen.
 */
export type SpanFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The span of a request, from its arrival to its answer. */
export interface RequestSpan {
  traceId: string;
  /** Runs the work of the request, whose spans are below it. */
  run<T>(work: () => T): T;
  end(name: string, fields: SpanFields, failed: boolean): void;
}

/** A span, as what it starts knows it. */
export interface TraceParent {
  traceId: string;
  spanId: string;
  /** Two hexadecimal digits. */
  flags: string;
}

/** What a run of a workflow tells at its end, for its span. */
export interface EndedRun {
  parent: TraceParent;
  /** Of the span of the run, which is the parent of all that the run has started. */
  spanId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  outcome: 'completed' | 'continued' | 'cancelled' | 'failed';
  fields: SpanFields;
}

export interface Tracing {
  /** @param traceparent the header of the request, or an empty string */
  request(traceparent: string): RequestSpan;
  span<T>(name: string | (() => string), work: () => Promise<T>): Promise<T>;
  describe(fields: SpanFields): void;
  traceId(): string | undefined;
}

let tracing: Tracing | undefined;

/** Called once, before anything is traced; undefined ends it. */
export function installTracing(installed: Tracing | undefined): void {
  tracing = installed;
}

export const isTracing = (): boolean => tracing !== undefined;

/** Begins the span of a request; undefined where nothing is traced. */
export function traceRequest(traceparent: string): RequestSpan | undefined {
  return tracing?.request(traceparent);
}

/**
 * Does work as a span of the request or activity that it belongs to, if that is recorded; otherwise only does it.
 *
 * @param name one of few; a function if it takes time to find
 */
export function traced<T>(name: string | (() => string), work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.span(name, work) : work();
}

/** Adds fields to the current span. */
export function describeSpan(fields: SpanFields): void {
  tracing?.describe(fields);
}

/** The id of the current trace, in hexadecimal, whether or not it is recorded. */
export function currentTraceId(): string | undefined {
  return tracing?.traceId();
}
