import type { Invariant } from './invariant.ts';

export const uploadMemory: Invariant = {
  id: 'I9',
  title: 'no upload memory is reserved when there are no uploads',
  async *check({ metrics }) {
    const held = /^darkroom_upload_memory_bytes (\d+)$/m.exec(await metrics())?.[1];
    if (held === undefined) yield 'the API does not report its upload memory';
    else if (held !== '0') yield `${held} bytes of upload memory are still reserved`;
  },
};
