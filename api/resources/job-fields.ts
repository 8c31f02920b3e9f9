import type { MediaType } from '../../domain/media.ts';

/** Fields of every job, ended or not. */
export function jobFields(job_id: string, job_type: MediaType, createdAt: Date) {
  return { job_id, job_type, created_at: createdAt.toISOString(), progress: null };
}
