import { Readable } from 'node:stream';
import { z } from 'zod';
import { cleanFilename } from '../../domain/text.ts';
import { MAX_BASE64_IMAGE_BYTES } from '../../domain/limits.ts';
import { requestImageImport } from '../../services/image-imports/request-image-import.ts';
import type { AcceptedImage } from '../../services/images/wait-for-analysis.ts';
import { ROOT_DESTINATION } from '../../services/files/folders/resolve-destination.ts';
import { UPLOAD_BUFFER_BYTES } from '../../services/uploads/streaming/part-buffers.ts';
import { uploadSingle } from '../../services/uploads/streaming/upload-single.ts';
import { checkWebUrl } from '../http/check-web-url.ts';
import type { Call } from '../http/route.ts';
import { jsonReader } from '../http/read-json.ts';
import { validate } from '../http/validate.ts';
import { decodeBase64 } from './decode-base64.ts';
import { ONE_FILE } from '../multipart/read-parts.ts';
import { readUploadRequest, reserveMemory, uploadDeps } from '../multipart/read-upload-request.ts';
import { withSuggestion } from '../multipart/store-upload.ts';
import { imageBody, imageForm } from '../resources/image-analysis.ts';
import { requestWebhookOf, type WebhookFields } from '../resources/request-webhook.ts';
import { toUploadAttributes } from '../resources/upload/to-upload-attributes.ts';
import { uploadForm } from '../resources/upload/schema.ts';

/** Base64 has four characters per three bytes; the rest is for line breaks and other fields. */
const MAX_BODY_BYTES = Math.ceil(MAX_BASE64_IMAGE_BYTES * 1.4) + 64 * 1024;
/** Copies in memory: the text and the decoded bytes. */
const MEMORY_OF_BODY = 2;

/** The alternative for larger images. */
const AS_FORM = {
  hint: 'send the file instead',
  suggestion: {
    endpoint: '/api/v2/images/analyze',
    message: 'as multipart/form-data, an image may be 100 MB',
  },
};

const FIELDS = new Set(Object.keys(imageForm.shape));
/** The fields of an analysis, and the defaults of an upload for all others. */
const FORM = z.object(uploadForm.shape).extend(imageForm.shape);
const readBody = jsonReader({ maxBytes: MAX_BODY_BYTES });

type AnyCall = Call<unknown, unknown, unknown>;

/** The image of a request, and how long its client waits. */
export interface ReceivedImage {
  image: AcceptedImage;
  timeoutSeconds: number;
  /** The webhook fields of the request, and the file whose events it receives. */
  webhook: { fields: WebhookFields; fileId: string };
}

/**
 * Receives the single image of a request, as a form file or as base64 in JSON. It is processed ahead of bulk
 * work, or found to be a duplicate. An image named by URL is fetched by a workflow.
 *
 * @throws AppError; nothing is stored then
 */
export async function receiveImage(call: AnyCall): Promise<ReceivedImage> {
  return call.ctx.is('multipart') ? receiveForm(call) : receiveJson(call);
}

async function receiveForm(call: AnyCall): Promise<ReceivedImage> {
  const form = readUploadRequest(call, { files: ONE_FILE, fields: FIELDS, schema: FORM, analysis: true });
  const upload = await uploadSingle(imageDeps(call), call.principal, form).catch((error: unknown) => {
    throw withSuggestion(error);
  });
  const fields = form.fields();
  const webhook = { fields, fileId: upload.stored.fileId };
  return { image: upload, timeoutSeconds: fields.timeout, webhook };
}

async function receiveJson(call: AnyCall): Promise<ReceivedImage> {
  const { ctx, em, deps, principal } = call;
  const length = Math.min(ctx.request.length ?? MAX_BODY_BYTES, MAX_BODY_BYTES);
  const release = reserveMemory(deps, principal.tenantId, MEMORY_OF_BODY * length + UPLOAD_BUFFER_BYTES);
  try {
    const body = validate(imageBody, await readBody(ctx), 'body');
    checkWebUrl(deps, body.url, '/body/url');
    const { options, ...others } = toUploadAttributes(
      {
        ...uploadForm.parse({}),
        content_category: body.content_category,
        skip_duplicates: body.skip_duplicates,
      },
      ROOT_DESTINATION,
    );
    const attributes = {
      ...others,
      options: { ...options, analysis: true as const },
      webhook: requestWebhookOf(call, body, 'body'),
    };
    const { url, base64, timeout: timeoutSeconds } = body;
    if (url !== undefined) {
      const fetched = await requestImageImport({ em, engine: deps.engine }, principal, {
        ...attributes,
        url,
      });
      return { image: { fetched }, timeoutSeconds, webhook: { fields: body, fileId: fetched.id } };
    }
    const image = await uploadSingle(imageDeps(call), principal, {
      fileField: 'base64',
      files: [
        {
          index: 0,
          filename: cleanFilename(undefined),
          place: { tenantId: principal.tenantId },
          stream: Readable.from([decodeBase64(base64 ?? '', '/body/base64', AS_FORM)]),
        },
      ],
      attributes: async () => attributes,
    });
    return { image, timeoutSeconds, webhook: { fields: body, fileId: image.stored.fileId } };
  } finally {
    release();
  }
}

function imageDeps(call: AnyCall) {
  return { ...uploadDeps(call), priority: 'interactive', mediaType: 'image' } as const;
}
