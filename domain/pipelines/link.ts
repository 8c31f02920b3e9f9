/** Links are not processed yet, so they are refused. */
export const linkPipeline = undefined;
