import assert from 'node:assert/strict';
import net from 'node:net';
import { eventually, type Json } from './api.ts';
import type { OwnStack } from './own-stack.ts';
import type { OwnTenant } from './own-tenant.ts';
import { images } from './images.ts';

/** Fields of a batch whose files are not described. */
export const UNDESCRIBED = { auto_describe: 'false' };

/** Helpers for the batches of a separate tenant on a stack for faults. */
export function createBatches({ stack, orm }: OwnStack, { client, apiKey }: OwnTenant) {
  const status = async (id: string): Promise<Json> => (await client.get(`/files/sessions/${id}/status`)).body;
  return {
    status,

    results: async (id: string): Promise<Json[]> =>
      (await client.get(`/files/sessions/${id}/results?limit=500`)).body.results,

    /** Ids of all stored files of a session. */
    fileIds: async (sessionId: string): Promise<string[]> => {
      const rows = await orm.em
        .fork()
        .execute<{ id: string }[]>('select id from files where session_id = ? order by id', [sessionId]);
      return rows.map(({ id }) => id);
    },

    /** Sends two complete files and half of a third one; returns the open connection. */
    sendHalfBatch: async (): Promise<net.Socket> => {
      const { hostname, port } = new URL(stack.runInfo.api_url);
      const head = (name: string) =>
        `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`;
      const [one, two, torn] = await images(3, 300, 200);
      assert.ok(one && two && torn);
      const body = Buffer.concat([
        Buffer.from('--x\r\nContent-Disposition: form-data; name="tags"\r\n\r\nhalf\r\n'),
        ...[one, two].flatMap(({ bytes, filename }) => [
          Buffer.from(head(filename)),
          bytes,
          Buffer.from('\r\n'),
        ]),
        Buffer.from(head('torn.jpg')),
        torn.bytes.subarray(0, 300),
      ]);
      const socket = net.connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(
        `POST /api/v2/files/upload/batch HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${apiKey}\r\n` +
          `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n`,
      );
      socket.write(body);
      return socket;
    },

    /** Id of the session of a half-sent batch, once both complete files are stored. */
    halfSession: (): Promise<string> =>
      eventually(async () => {
        const [newest] = (await client.get('/files/sessions?limit=1')).body.items;
        const { session_id: id, total_files: total } = newest ?? {};
        assert.equal(total, 3);
        const summary = (await client.get(`/files/sessions/${id}/summary`)).body;
        assert.equal(summary.counts.uploading, 1);
        return id as string;
      }),
  };
}
