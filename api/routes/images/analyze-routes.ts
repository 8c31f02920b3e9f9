import { jobOf, waitForAnalysis } from '../../../services/images/wait-for-analysis.ts';
import { receiveImage } from '../../images/receive-image.ts';
import { clientGone } from '../../http/client-gone.ts';
import { route } from '../../http/route.ts';
import { UPLOAD_ERRORS } from '../../multipart/read-upload-request.ts';
import {
  presentImageAnalysis,
  imageAnalysis,
  imageBody,
  imageFormDocument,
} from '../../resources/image-analysis.ts';
import { presentRequestWebhook } from '../../resources/request-webhook.ts';
import { jobPath } from '../../resources/job/present.ts';
import { startedJob } from '../../resources/job/schema.ts';

const ANALYZE = {
  method: 'post',
  tag: 'Images',
  permit: 'files.write',
  form: imageFormDocument,
  formAsJson: imageBody,
  errors: [...UPLOAD_ERRORS, 'EMPTY_FILE', 'INVALID_BASE64', 'UNSUPPORTED_MEDIA', 'QUOTA_EXHAUSTED'],
} as const;

/** Upload and analysis of one image in one request. */
export const imageAnalyzeRoutes = [
  route({
    ...ANALYZE,
    path: '/images/analyze',
    operationId: 'analyzeImage',
    summary: 'Send an image or its URL and wait for the description',
    description:
      'Takes an image as a form, as base64 or by its URL, and waits up to `timeout` seconds for its ' +
      'description. If it takes longer, the answer has the `job_id` to poll with `GET /job/{job_id}`.',
    cost: 'image',
    answers: { 200: imageAnalysis },
    async handle(call) {
      const began = performance.now();
      const { image, timeoutSeconds, webhook } = await receiveImage(call);
      const { ctx, em, deps } = call;
      const milliseconds = timeoutSeconds * 1000 - (performance.now() - began);
      const wait = { milliseconds, signal: clientGone(ctx.res) };
      const analysis = await waitForAnalysis({ em, engine: deps.engine }, image, wait);
      return {
        analysis,
        jobId: jobOf(image),
        elapsedMs: performance.now() - began,
        webhook: await presentRequestWebhook(call, webhook.fields, 'file', webhook.fileId),
      };
    },
    present: presentImageAnalysis,
  }),

  route({
    ...ANALYZE,
    path: '/images/analyze/async',
    operationId: 'startImageAnalysis',
    summary: 'Send an image or its URL and poll its job',
    description: 'Takes an image as a form, as base64 or by its URL, and answers at once.',
    accepted:
      'the image is stored, or its URL is being fetched. Poll `GET /job/{job_id}` until `status` is ' +
      '`completed` or `failed`.',
    cost: 'image',
    answers: { 202: startedJob },
    async handle(call) {
      const { image, webhook } = await receiveImage(call);
      const jobId = jobOf(image);
      call.ctx.status = 202;
      return {
        job_id: jobId,
        status: 'processing' as const,
        poll_url: jobPath(jobId),
        ...(await presentRequestWebhook(call, webhook.fields, 'file', webhook.fileId)),
      };
    },
  }),
];
