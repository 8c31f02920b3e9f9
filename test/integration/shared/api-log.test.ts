import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { eventually, sharedRun } from '../../support/api.ts';

const run = sharedRun();
const url = new URL(run.api_url);
const apiLog = () =>
  readFileSync(join(dirname(process.env['DARKROOM_RUN'] ?? ''), 'logs', 'api.log'), 'utf8');

/** Requests that Node's HTTP parser rejects after the headers, with the start of their bodies. */
const BROKEN: Record<string, (body: string) => string> = {
  'a malformed chunk': (body) => `Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nZZ\r\n${body}`,
  'a malformed first chunk': (body) => `Transfer-Encoding: chunked\r\n\r\nZZ\r\n${body}`,
  'a Content-Length that is too small': (body) => `Content-Length: 3\r\n\r\nabc${body}`,
};
const TARGETS = {
  'an upload': ['/files/upload', 'multipart/form-data; boundary=x'],
  'a JSON body': ['/files/direct-uploads', 'application/json'],
  telemetry: ['/files/log-upload-event', 'application/json'],
};

for (const [how, rest] of Object.entries(BROKEN)) {
  for (const [what, [path = '', type = '']] of Object.entries(TARGETS)) {
    test(`${how} of ${what} leaves neither key nor body in the log`, async () => {
      const requestId = randomUUID();
      const body = `bytes-of-a-file-${randomUUID()}`;
      const socket = connect(Number(url.port), url.hostname);
      socket.on('error', () => undefined);
      socket.resume();
      const closed = once(socket, 'close');
      socket.write(
        `POST ${url.pathname}${path} HTTP/1.1\r\nHost: ${url.host}\r\nX-Request-Id: ${requestId}\r\n` +
          `X-API-Key: ${run.api_key}\r\nAuthorization: Bearer ${run.api_key}\r\nCookie: a=${run.api_key}\r\n` +
          `Content-Type: ${type}\r\n${rest(body)}`,
      );
      socket.end();
      await closed;
      const log = await eventually(async () => {
        const text = apiLog();
        assert.ok(text.includes(requestId), 'the request is not in the log yet');
        return text;
      });
      assert.ok(!log.includes(run.api_key.slice(-20)), 'the key is in the log');
      assert.ok(!log.includes(body), 'the body is in the log');
      // It would contain the body as an array of numbers.
      assert.ok(!log.includes('rawPacket'));
    });
  }
}
