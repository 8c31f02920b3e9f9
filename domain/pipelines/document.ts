/** Documents are not processed yet, so they are refused. */
export const documentPipeline = undefined;
