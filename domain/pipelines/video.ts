/** There is no work on videos yet, so they are refused. */
export const videoPipeline = undefined;
