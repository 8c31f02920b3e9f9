/** Fields of every job, ended or not. */
export function jobFields(job_id: string, job_type: 'image' | 'document' | 'link', createdAt: Date) {
  return { job_id, job_type, created_at: createdAt.toISOString(), progress: null };
}
