/** A read may wait this long for each answer of the engine; then the row alone answers. */
export const READ_DEADLINE_MS = 500;

/** A start, a signal or another change may delay an answer by this much; after that the sweep brings it to the engine. */
export const START_DEADLINE_MS = 1000;

/** One call of a sweep. No client waits for it, but an engine that is slow must not stop the sweep at each of its rows. */
export const SWEEP_DEADLINE_MS = 2000;

/** A list of a sweep: visibility may have thousands of runs to go through, in pages. */
export const LIST_DEADLINE_MS = 5000;

/** What an operator asks for at a terminal: there is no row or sweep to fall back on, and a person would rather wait. */
export const COMMAND_DEADLINE_MS = 10_000;
