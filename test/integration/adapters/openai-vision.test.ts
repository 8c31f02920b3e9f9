import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { ModelError } from '../../../adapters/models/vision/model-error.ts';
import { createOpenAiVision } from '../../../adapters/models/vision/openai-vision.ts';
import type { VisionInput } from '../../../adapters/models/vision/vision-model.ts';
import type { ImageFacts } from '../../../domain/image-facts.ts';
import { replies, startModelServer, type ModelReply, type ModelServer } from '../../support/model-server.ts';

const KEY = 'sk-test-1234567890';
const facts: ImageFacts = {
  colours: [{ name: 'red', hex: '#c00000', share: 1 }],
  brightness: 0.5,
  contrast: 0.5,
  colourfulness: 0.5,
  sharpness: 0.5,
  look: 'photograph',
  hasAlpha: false,
  frames: 1,
  exif: { takenAt: '2024-05-12T10:00:00.000Z' },
};
const input: VisionInput = {
  image: () => Promise.resolve({ bytes: new Uint8Array([1, 2, 3]), contentType: 'image/webp' }),
  facts,
  width: 640,
  height: 480,
  format: 'jpeg',
  filename: 'bike.jpg',
  contentCategory: 'product_photo',
  visibleText: 'SALE',
};

describe('OpenAI-compatible vision model', () => {
  let server: ModelServer;
  before(async () => {
    server = await startModelServer();
  });
  after(() => server.stop());
  afterEach(() => void server.requests.splice(0));

  const model = (options: { timeoutSeconds?: number; baseUrl?: string } = {}) =>
    createOpenAiVision({
      baseUrl: server.url,
      apiKey: KEY,
      model: 'test-model',
      timeoutSeconds: 5,
      ...options,
    });
  const describeImage = (options?: Parameters<typeof model>[0], signal = new AbortController().signal) =>
    model(options).describe(input, { signal });

  /** Runs a call that must fail, checks that its error does not leak the key, and returns it. */
  async function failure(reply: ModelReply, options?: Parameters<typeof model>[0]): Promise<ModelError> {
    server.next(reply);
    const error = await describeImage(options).catch((error: unknown) => error);
    assert.ok(error instanceof ModelError, `not a ModelError: ${String(error)}`);
    const cause = error.cause instanceof Error ? `${error.cause.message}\n${error.cause.stack}` : '';
    assert.doesNotMatch(`${error.message}\n${error.stack}\n${cause}`, new RegExp(KEY));
    return error;
  }

  it('returns description, tags, confidence and token usage', async () => {
    server.next(
      replies.ok({ description: '  A red bicycle. ', tags: ['Bicycle', '#red', 'bicycle'], confidence: 0.8 }),
    );
    assert.deepEqual(await describeImage(), {
      description: 'A red bicycle.',
      tags: ['bicycle', 'red'],
      usage: { inputTokens: 1_200, outputTokens: 80 },
      promptVersion: 'describe-image-v1',
      confidence: 0.8,
    });
  });

  it('sends the picture, category hint, recognised text and schema with the key', async () => {
    await describeImage();
    const [request] = server.requests;
    assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
    const body = JSON.stringify(request?.body);
    assert.match(body, /"model":"test-model"/);
    assert.match(body, /"url":"data:image\/webp;base64,AQID"/);
    assert.match(body, /This is a product photo/);
    assert.match(body, /recognised_text\\":\\"SALE/);
    assert.match(body, /"strict":true,"schema":\{/);
    assert.match(body, /"required":\["description","tags","confidence"\]/);
    assert.doesNotMatch(body, /"default"/);
  });

  it('reads JSON in a code fence, without confidence and without usage', async () => {
    server.next(replies.content('```json\n{"description": "A map.", "tags": ["map"]}\n```'));
    assert.equal((await describeImage()).description, 'A map.');
    const content = '{"description": "A map.", "tags": [], "confidence": "high"}';
    server.next(replies.json(200, { choices: [{ message: { content } }] }));
    const answer = await describeImage();
    assert.equal(answer.confidence, null);
    assert.deepEqual(answer.usage, { inputTokens: 0, outputTokens: 0 });
  });

  it('enforces the limits on any reply', async () => {
    const tags = [...Array.from({ length: 60 }, (_, i) => `tag ${i}`), 'x'.repeat(51)];
    server.next(replies.ok({ description: `a\u0000b ${'word '.repeat(5_000)}`, tags, confidence: 7 }));
    const answer = await describeImage();
    assert.ok(answer.description.length <= 4_000);
    assert.match(answer.description, /^a b word .* word…$/);
    assert.equal(answer.tags.length, 40);
    assert.equal(answer.confidence, 1);
  });

  it('passes on the Retry-After of a 429, in seconds or as a date', async () => {
    const error = await failure(replies.rateLimited('7'));
    assert.equal(error.code, 'MODEL_RATE_LIMITED');
    assert.equal(error.message, 'the model endpoint answered 429');
    assert.equal(error.retryAfterSeconds, 7);
    const dated = await failure(replies.rateLimited(new Date(Date.now() + 90_000).toUTCString()));
    assert.ok(dated.retryAfterSeconds !== undefined && Math.abs(dated.retryAfterSeconds - 90) <= 2);
    assert.equal((await failure(replies.rateLimited())).retryAfterSeconds, undefined);
    assert.equal((await failure(replies.rateLimited('soon'))).retryAfterSeconds, undefined);
  });

  it('makes a single request, without retries', async () => {
    await failure(replies.error(500));
    assert.equal(server.requests.length, 1);
  });

  const byStatus = {
    500: 'MODEL_UNAVAILABLE',
    503: 'MODEL_UNAVAILABLE',
    404: 'MODEL_UNAVAILABLE',
    401: 'MODEL_UNAUTHORIZED',
    403: 'MODEL_UNAUTHORIZED',
    400: 'MODEL_REFUSED',
    413: 'MODEL_REFUSED',
    422: 'MODEL_REFUSED',
  };
  for (const [status, code] of Object.entries(byStatus)) {
    it(`maps ${status} to ${code}`, async () => {
      const error = await failure(
        replies.error(Number(status), `Incorrect API key provided: ${KEY}, sk-te***7890`),
      );
      assert.equal(error.code, code);
      assert.equal(error.message, `the model endpoint answered ${status}`);
      assert.match(String(error.cause), /Incorrect API key provided: \[key\], \[key\]/);
    });
  }

  it('is unavailable when nothing listens and when the endpoint hangs up', async () => {
    const stopped = await startModelServer();
    await stopped.stop();
    const error = await failure(replies.ok(), { baseUrl: stopped.url });
    assert.equal(error.code, 'MODEL_UNAVAILABLE');
    assert.equal(error.message, 'the model endpoint cannot be reached');
    await describeImage();
    assert.equal((await failure(replies.hangUp())).code, 'MODEL_UNAVAILABLE');
  });

  it('times out on a silent endpoint and on one that sends single bytes', async () => {
    for (const reply of [replies.hang(), replies.slowDrip()]) {
      const error = await failure(reply, { timeoutSeconds: 0.2 });
      assert.equal(error.code, 'MODEL_TIMEOUT');
      assert.equal(error.message, 'the model endpoint did not answer within 0.2 seconds');
    }
  });

  const nonsense: Record<string, [ModelReply, RegExp]> = {
    'a broken body': [replies.invalidJson(), /something that is not JSON$/],
    'a body of 10 MB': [replies.huge(), /more than 1024 KB$/],
    'JSON of another shape': [replies.wrongSchema(), /in another shape than asked for \(description: /],
    'an empty description': [replies.ok({ description: ' \n ' }), /description: is empty/],
    prose: [replies.content('A red bicycle.'), /the answer of the model is not JSON$/],
    'no content': [replies.content(null), /is not JSON$/],
    'an answer cut off by length': [replies.content('{"desc', { finishReason: 'length' }), /was cut off$/],
    'no chat completion': [replies.json(200, { object: 'list', data: [] }), /no chat completion/],
    'an HTML page': [
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /no chat completion/,
    ],
  };
  for (const [name, [reply, message]] of Object.entries(nonsense)) {
    it(`maps ${name} to MODEL_INVALID_REPLY`, async () => {
      const error = await failure(reply);
      assert.equal(error.code, 'MODEL_INVALID_REPLY');
      assert.match(error.message, message);
    });
  }

  it('maps a refusal and a content filter to MODEL_REFUSED', async () => {
    assert.equal((await failure(replies.content(null, { refusal: 'I cannot' }))).code, 'MODEL_REFUSED');
    assert.equal(
      (await failure(replies.content('', { finishReason: 'content_filter' }))).code,
      'MODEL_REFUSED',
    );
  });

  it('stops immediately with the reason of the caller when it is cancelled', async () => {
    const reason = new Error('cancelled by the workflow');
    for (const reply of [replies.hang(), replies.slowDrip()]) {
      const caller = new AbortController();
      server.next((response, request) => {
        reply(response, request);
        setTimeout(() => caller.abort(reason), 30);
      });
      await assert.rejects(describeImage({}, caller.signal), (error) => error === reason);
    }
  });

  it('rethrows an error while loading the picture, without a request', async () => {
    const lost = new Error('object not found');
    const { signal } = new AbortController();
    const broken = { ...input, image: () => Promise.reject(lost) };
    await assert.rejects(model().describe(broken, { signal }), (error) => error === lost);
    assert.equal(server.requests.length, 0);
  });
});
