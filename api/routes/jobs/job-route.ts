import { notFound, AppError } from '../../../domain/app-error.ts';
import { readText } from '../../../services/documents/read-document.ts';
import { findFile } from '../../../services/files/find-file.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentJob } from '../../resources/job/present.ts';
import { jobAnswer, jobParams } from '../../resources/job/schema.ts';

const UUID_LENGTH = 36;

/** The work on one file as a job: its id is that of the file. */
export const jobRoute = route({
  method: 'get',
  path: '/job/:job_id',
  operationId: 'getJob',
  summary: 'State and results of an analysis',
  tag: 'Processing',
  permit: 'files.read',
  params: jobParams,
  responses: json(200, jobAnswer),
  errors: ['NOT_FOUND', 'WORK_IN_PROGRESS'],
  async handle({ em, deps, principal, params }) {
    if (params.job_id.length !== UUID_LENGTH) throw notFound('job');
    const file = await findFile(em, principal.tenantId, params.job_id).catch(asJob);
    const seen = await observeFile({ em, engine: deps.engine }, file);
    const text = file.mediaType === 'document' ? await readText(em, file.id) : (file.visibleText ?? null);
    return presentJob(seen, text);
  },
});

function asJob(error: unknown): never {
  throw error instanceof AppError && error.code === 'NOT_FOUND' ? notFound('job') : error;
}
