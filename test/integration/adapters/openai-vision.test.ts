import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { createTextWork } from '../../../engines/text-work/text-work.ts';
import { createOpenAiVision } from '../../../adapters/models/vision/openai-vision.ts';
import type { ExtractionRequest, VisionInput } from '../../../adapters/models/vision/vision-model.ts';
import type { ImageFacts } from '../../../domain/image-analysis.ts';
import { addUsage, NO_TOKENS, type TokenUsage } from '../../../domain/token-usage.ts';
import { replies, startModelServer, type ModelReply, type ModelServer } from '../../support/model-server.ts';

const KEY = 'sk-test-1234567890';
/** The usage in each reply of the test server. */
const USAGE: TokenUsage = {
  inputTokens: 1_200,
  outputTokens: 80,
  thinkingTokens: 30,
  cacheReadTokens: 1_000,
  cacheCreationTokens: 0,
};
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
  const text = createTextWork({ slots: 1 });
  before(async () => {
    server = await startModelServer();
  });
  after(async () => {
    await text.close();
    await server.stop();
  });
  afterEach(() => void server.requests.splice(0));

  const model = (options: { timeoutSeconds?: number; baseUrl?: string } = {}) =>
    createOpenAiVision(
      {
        provider: 'openai',
        baseUrl: server.url,
        apiKey: KEY,
        model: 'test-model',
        timeoutSeconds: 60,
        ...options,
      },
      text,
    );
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
      usage: USAGE,
      promptVersion: 'describe-image-v1',
      confidence: 0.8,
    });
  });

  it('sends the image, category hint, recognised text and schema with the key', async () => {
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
    assert.deepEqual(answer.usage, NO_TOKENS);
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

  it('follows no redirect, which would hand the prompt to another server', async () => {
    const other = await startModelServer();
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        const location = `${other.url}/chat/completions`;
        const error = await failure(replies.json(status, {}, { location }));
        assert.equal(error.code, 'MODEL_UNAVAILABLE');
        assert.equal(
          error.message,
          `the model endpoint answered ${status}, a redirect, which is not followed`,
        );
      }
      assert.deepEqual(other.requests, []);
    } finally {
      await other.stop();
    }
  });

  it('takes token counts as whole numbers that fit a column, whatever the endpoint counts', async () => {
    const counts: Record<string, number> = {
      '1e15': 1_000_000_000,
      '2147483648': 1_000_000_000,
      '1e999': 0,
      '-1': 0,
      '1.5': 1,
      '"12"': 0,
      null: 0,
      '[7]': 0,
      '1200': 1_200,
    };
    const content = JSON.stringify(JSON.stringify({ description: 'A map.', tags: [], confidence: 1 }));
    for (const [count, expected] of Object.entries(counts)) {
      server.next((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"choices":[{"message":{"content":${content}}}],"usage":{
          "prompt_tokens":${count},"completion_tokens":${count},
          "prompt_tokens_details":{"cached_tokens":${count},"cache_write_tokens":${count}}}}`);
      });
      const { usage } = await describeImage();
      const every = { inputTokens: expected, outputTokens: expected, cacheReadTokens: expected };
      assert.deepEqual(
        usage,
        { ...every, cacheCreationTokens: expected, thinkingTokens: null },
        `${count} tokens`,
      );
    }
  });

  it('is unavailable when nothing listens, and when the endpoint hangs up or cuts its answer', async () => {
    const stopped = await startModelServer();
    await stopped.stop();
    const error = await failure(replies.ok(), { baseUrl: stopped.url });
    assert.equal(error.code, 'MODEL_UNAVAILABLE');
    assert.equal(error.message, 'the model endpoint cannot be reached');
    await describeImage();
    assert.equal((await failure(replies.hangUp())).code, 'MODEL_UNAVAILABLE');
    assert.equal((await failure(replies.cutStream())).code, 'MODEL_UNAVAILABLE');
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
    'no chat completion': [replies.json(200, { object: 'list', data: [] }), /no chat completion/],
    'an HTML page': [
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /no chat completion/,
    ],
  };
  for (const [name, [reply, message]] of Object.entries(nonsense)) {
    it(`maps ${name} to MODEL_INVALID_REPLY, and does not try to repair it`, async () => {
      const error = await failure(reply);
      assert.equal(error.code, 'MODEL_INVALID_REPLY');
      assert.match(error.message, message);
      assert.equal(server.requests.length, 1);
    });
  }

  const unusable: Record<string, [ModelReply, RegExp]> = {
    'JSON of another shape': [replies.wrongSchema(), /description: Invalid input/],
    'an empty description': [replies.ok({ description: ' \n ' }), /description: is empty/],
    prose: [replies.content('A red bicycle.'), /it is not JSON/],
    'no content': [replies.content(null), /it is empty/],
    'an answer cut off by length': [
      replies.content('{"desc', { finishReason: 'length' }),
      /was cut off; be brief/,
    ],
  };
  for (const [name, [reply, problem]] of Object.entries(unusable)) {
    it(`asks the model once to repair ${name}`, async () => {
      server.next(reply);
      const answer = await describeImage();
      assert.equal(answer.description, 'A red bicycle leans on a wall.');
      assert.deepEqual(answer.usage, addUsage(USAGE, USAGE));
      const [, second] = server.requests.map(({ body }) => JSON.stringify(body));
      assert.match(second ?? '', problem);
      assert.match(second ?? '', /data:image/);

      server.next(reply);
      const error = await failure(reply);
      assert.equal(error.code, 'MODEL_INVALID_ANSWER');
      assert.match(error.message, /^the model answered in another shape than asked for \(.*\), twice$/);
      assert.deepEqual(error.usage, addUsage(USAGE, USAGE));
      assert.equal(server.requests.length, 4);
    });
  }

  it('counts an answer as invalid when its repair fails at the endpoint, and keeps the token usage', async () => {
    for (const [reply, code] of [
      [replies.error(503), 'MODEL_INVALID_REPLY'],
      [replies.hang(), 'MODEL_INVALID_REPLY'],
      [replies.content(null, { refusal: 'I cannot' }), 'MODEL_REFUSED'],
    ] as const) {
      server.next(replies.wrongSchema());
      const error = await failure(reply, { timeoutSeconds: 0.5 });
      assert.equal(error.code, code);
      assert.equal(error.usage?.inputTokens, code === 'MODEL_REFUSED' ? 2_400 : 1_200);
    }
  });

  it('classifies into a known category', async () => {
    server.next(replies.content('{"category": "map", "confidence": 0.7}'));
    const { signal } = new AbortController();
    assert.deepEqual(await model().classify(input, { signal }), {
      category: 'map',
      confidence: 0.7,
      usage: USAGE,
      promptVersion: 'classify-image-v1',
    });
    server.next(
      replies.content('{"category": "poster", "confidence": 1}'),
      replies.content('{"category": "poster"}'),
    );
    await assert.rejects(model().classify(input, { signal }), { code: 'MODEL_INVALID_ANSWER' });
  });

  describe('extraction', () => {
    const request: ExtractionRequest = {
      name: 'price tag',
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { price: { type: 'number', minimum: 0 }, date: { type: 'string', format: 'date' } },
        required: ['price'],
        additionalProperties: false,
      },
      instructions: 'Read the price.',
      promptVersion: 'price-tag-v1',
      maxOutputTokens: 1_000,
      prompt: 'in euros',
    };
    const extract = (change: Partial<ExtractionRequest> = {}) =>
      model().extract(
        { ...input, textRegions: [{ text: '12.50', box: { xMin: 0, yMin: 0.25, xMax: 0.5, yMax: 1 } }] },
        { ...request, ...change },
        { tenantId: 'tenant', signal: new AbortController().signal },
      );

    it('returns data that matches the schema, after at most one repair', async () => {
      server.next(replies.content('{"price": -1, "date": "yesterday"}'), replies.content('{"price": 12.5}'));
      assert.deepEqual(await extract(), {
        data: { price: 12.5 },
        usage: addUsage(USAGE, USAGE),
        promptVersion: 'price-tag-v1',
        confidence: null,
        repaired: true,
      });
      const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
      assert.match(first ?? '', /"name":"price_tag","strict":false/);
      assert.match(first ?? '', /What the client asks for: \\"in euros/);
      assert.match(first ?? '', /recognised_lines\\":\[\{\\"text\\":\\"12.50\\",\\"box\\":\[0,0.25,0.5,1\]/);
      assert.match(second ?? '', /price: must be >= 0\\n- date: must match format/);
    });

    it('requests strict answers where the schema allows them, and returns the rating of the model', async () => {
      const schema = {
        type: 'object',
        properties: { price: { type: 'number' }, confidence: { type: 'number' } },
        required: ['price', 'confidence'],
        additionalProperties: false,
      };
      server.next(replies.content('{"price": 12.5, "confidence": 0.6}'));
      const { confidence, repaired } = await extract({ schema });
      assert.deepEqual([confidence, repaired], [0.6, false]);
      assert.match(JSON.stringify(server.requests[0]?.body), /"strict":true/);
    });
  });

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

  it('rethrows an error while loading the image, without a request', async () => {
    const lost = new Error('object not found');
    const { signal } = new AbortController();
    const broken = { ...input, image: () => Promise.reject(lost) };
    await assert.rejects(model().describe(broken, { signal }), (error) => error === lost);
    assert.equal(server.requests.length, 0);
  });
});
