/** How long a read waits for each call to the engine; then it is answered from the row alone. */
export const READ_DEADLINE_MS = 500;

/** How long a start or signal may delay a response; after that it is left to the sweep. */
export const START_DEADLINE_MS = 1000;

/** One call of a sweep. No client waits for it, but a slow engine must not stall the sweep at every row. */
export const SWEEP_DEADLINE_MS = 2000;

/** One page of a visibility listing of a sweep. */
export const LIST_DEADLINE_MS = 5000;

/** A command-line call by an operator: there is no row or sweep to fall back on, so waiting longer is better. */
export const COMMAND_DEADLINE_MS = 10_000;
