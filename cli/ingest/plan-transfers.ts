/** Limits of one request. */
export interface TransferLimits {
  /** Files of one batch, a limit of the account's tier. */
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

/** Assigns each file to exactly one batch or direct upload, in the given order. */
export function planTransfers<F extends { sizeBytes: number }>(
  files: readonly F[],
  { batchFiles, batchBytes, directOverBytes }: TransferLimits,
): TransferPlan<F> {
  const plan: TransferPlan<F> = { batches: [], directs: [] };
  let bytes = 0;
  for (const file of files) {
    // An empty file cannot be a direct upload, whatever the threshold.
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
