import { notFound } from '../../../domain/app-error.ts';
import { findJob } from '../../../services/images/find-job.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { route } from '../../http/route.ts';
import { presentImportJob } from '../../resources/job/present.ts';
import { jobAnswer, jobParams } from '../../resources/job/schema.ts';
import { presenterOf } from '../../resources/media.ts';

const UUID_LENGTH = 36;

/** The work on one file as a job: its id is that of the file. */
export const jobRoute = route({
  method: 'get',
  path: '/job/:job_id',
  operationId: 'getJob',
  summary: 'State and results of an analysis',
  description:
    'State of an analysis that took longer than its request, or was started with `/async`. Poll it ' +
    'until `status` is `completed` or `failed`.',
  tag: 'Processing',
  permit: 'files.read',
  params: jobParams,
  answers: { 200: jobAnswer },
  streamed: 'in_turn',
  errors: ['NOT_FOUND', 'WORK_IN_PROGRESS'],
  async handle({ em, deps, principal, params: { job_id: jobId } }) {
    if (jobId.length !== UUID_LENGTH) throw notFound('job');
    const job = await findJob({ em, engine: deps.engine }, principal.tenantId, jobId);
    if (!('file' in job)) return presentImportJob(job.fetched);
    const seen = await observeFile({ em, engine: deps.engine }, job.file);
    return presenterOf(job.file).job(em, jobId.toLowerCase(), seen);
  },
});
