/** How much one request may carry. */
export interface TransferLimits {
  /** Files of one batch, as the account's tier has it. */
  batchFiles: number;
  /** Bytes of one batch. A single file may be larger, up to `directOverBytes`. */
  batchBytes: number;
  /** Larger files go straight to the object store. */
  directOverBytes: number;
}

export interface TransferPlan<F> {
  batches: F[][];
  directs: F[];
}

/** Puts each file into exactly one batch or among the direct ones, in the order given. */
export function planTransfers<F extends { sizeBytes: number }>(
  files: readonly F[],
  { batchFiles, batchBytes, directOverBytes }: TransferLimits,
): TransferPlan<F> {
  const plan: TransferPlan<F> = { batches: [], directs: [] };
  let bytes = 0;
  for (const file of files) {
    // No bytes can be no direct upload, whatever the threshold.
    if (file.sizeBytes > directOverBytes && file.sizeBytes > 0) {
      plan.directs.push(file);
      continue;
    }
    const last = plan.batches.at(-1);
    if (last && last.length < batchFiles && bytes + file.sizeBytes <= batchBytes) {
      last.push(file);
      bytes += file.sizeBytes;
    } else {
      plan.batches.push([file]);
      bytes = file.sizeBytes;
    }
  }
  return plan;
}
