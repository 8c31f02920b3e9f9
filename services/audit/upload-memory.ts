import type { Invariant } from './invariant.ts';

export const uploadMemory: Invariant = {
  id: 'I9',
  title: 'no upload memory is held when nothing is uploaded',
  async *check({ metrics }) {
    const held = /^darkroom_upload_memory_bytes (\d+)$/m.exec(await metrics())?.[1];
    if (held === undefined) yield 'the API does not say how much upload memory it holds';
    else if (held !== '0') yield `the API holds ${held} bytes of upload memory`;
  },
};
