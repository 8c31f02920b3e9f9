/** There is no work on documents yet, so they are refused. */
export const documentPipeline = undefined;
