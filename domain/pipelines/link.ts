/** There is no work on links yet, so they are refused. */
export const linkPipeline = undefined;
