import { ModelError } from './model-error.ts';

/**
 * `fetch` whose body ends in an error once it is longer than `maxBytes`, so that a runaway reply costs no memory.
 * The error is a ModelError `MODEL_INVALID_REPLY`.
 */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) {
            throw new ModelError(
              'MODEL_INVALID_REPLY',
              `the model endpoint answered with more than ${Math.floor(maxBytes / 1024)} KB`,
            );
          }
          controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}
