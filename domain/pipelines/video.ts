/** Videos are not processed yet, so they are refused. */
export const videoPipeline = undefined;
